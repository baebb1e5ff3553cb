import { z } from 'zod';
import {
  environmentVariables,
  settingNames,
  variableNames,
} from '../core/configuration/environment-variables.js';
import { fileVariableOf } from '../core/configuration/secret-files.js';

const introduction = `# Configuration

Every setting is an environment variable. A \`.env\` file in the working folder is read too, and the process environment
takes precedence. A secret may be in a file instead, such as one that a container engine mounts: its variable with the suffix \`_FILE\`
names the file. The final line break is not part of the secret. [CONF-1](rules.md#conf-1) and [CONF-5](rules.md#conf-5) describe errors in settings. [operations.md](operations.md)
explains how the settings work together, and lists the standard [variables of traces](operations.md#traces) (\`OTEL_…\`).
\`npm run generate\` writes this page and \`.env.example\` from the schema in \`src/core/configuration/environment-variables.ts\`.
`;

export function configurationReference(): string {
  const given = propertiesOf('input');
  const read = propertiesOf('output');
  const rows = settingNames.map((name) => {
    const values = valuesOf({ ...read[name], ...given[name] });
    return [`\`${name}\``, defaultOf(given[name]), values, descriptionOf(name, given[name])];
  });
  return `${introduction}\n${markdownTable(['Name', 'Default', 'Values', 'What it does'], rows)}\n`;
}

export function environmentExample(): string {
  const entries = Object.entries(environmentVariables.shape).map(([name, variable]) => {
    const { description = '', example } = variable.meta() ?? {};
    const setting =
      variable instanceof z.ZodPrefault
        ? `${name}=${variable.def.defaultValue}`
        : `# ${name}=${String(example)}`;
    const comment = withFileVariable(name, description).replaceAll(/(.{1,96})(?: |$)/g, '# $1\n');
    return `${comment}${setting}`;
  });
  return `${entries.join('\n\n')}\n`;
}

type Property = z.core.JSONSchema.BaseSchema;

/** zod shows defaults and choices in `input`, and bounds of numbers in `output`. */
function propertiesOf(io: 'input' | 'output'): Readonly<Record<string, Property>> {
  const { properties = {} } = z.toJSONSchema(environmentVariables, { io, unrepresentable: 'any' });
  return properties as Record<string, Property>;
}

function defaultOf(property: Property = {}): string {
  return typeof property.default === 'string' ? `\`${property.default}\`` : 'none';
}

function valuesOf({ enum: choices, minimum, maximum }: Property): string {
  if (choices !== undefined) return choices.map((value) => `\`${String(value)}\``).join(', ');
  return minimum === undefined ? 'string' : `${minimum} to ${maximum}`;
}

/** Escapes stars, which would begin emphasis. */
function descriptionOf(name: string, { description = '' }: Property = {}): string {
  return withFileVariable(name, description)
    .replaceAll('*', String.raw`\*`)
    .replaceAll(
      /\brule ([A-Z]+-\d+)/g,
      (rule, id: string) => `[${rule}](rules.md#${id.toLowerCase()})`,
    )
    .replaceAll(/\b[A-Z_]{4,}\b/g, (word) => (variableNames.includes(word) ? `\`${word}\`` : word));
}

function withFileVariable(name: string, description: string): string {
  const variable = fileVariableOf(name);
  return variable === null
    ? description
    : `${description} ${variable} names a file that contains it.`;
}

function markdownTable(heading: readonly string[], body: readonly string[][]): string {
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...body].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [heading, rule, ...body].map(line).join('\n');
}
