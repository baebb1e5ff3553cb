import type { Message } from '../../localization/messages.js';

/**
 * A rule's own message of the catalogues, in the form in which class-validator carries it: it
 * knows texts only, and leaves out the context of rules that answer at once.
 */
export function ruleMessage(key: string, values: NonNullable<Message['values']>): string {
  return JSON.stringify({ key, values } satisfies Message);
}

/** The message of a violated rule: its own, or `validation.<rule>` with the property's name. */
export function messageOfRule(rule: string, text: string, property: string): Message {
  if (text.startsWith('{"key":')) return JSON.parse(text) as Message;
  return { key: `validation.${rule}`, values: { property } };
}
