import { join } from 'node:path';
import ts from 'typescript';

/** A manifest of Kubernetes as it was read. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Errors of manifests by Kubernetes' own types: unknown, missing and wrongly typed fields. A server rejects them or
 * silently ignores unknown ones.
 */
export function typeProblems(manifests: readonly Manifest[]): string[] {
  const lines = manifests.map((manifest, index) => {
    const type = `import('kubernetes-models/${manifest.apiVersion}').I${manifest.kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
  });
  // Among the tests, so that the packages are found.
  const path = join(import.meta.dirname, 'manifests.mts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
  };
  const host = ts.createCompilerHost(options);
  const fileExists = host.fileExists.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === path
      ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ES2022)
      : getSourceFile(name, ...rest);
  const program = ts.createProgram([path], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
