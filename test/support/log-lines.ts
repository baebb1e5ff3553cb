import type { Document } from 'mongodb';

export function logLinesWith(logged: string, text: string): Document[] {
  const lines = logged.split('\n').filter((line) => line.includes(text));
  return lines.map((line) => JSON.parse(line) as Document);
}
