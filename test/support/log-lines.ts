import type { Document } from 'mongodb';

/** The lines of a log with a text, such as the id of a request, each as the object that it is. */
export function logLinesWith(logged: string, text: string): Document[] {
  const lines = logged.split('\n').filter((line) => line.includes(text));
  return lines.map((line) => JSON.parse(line) as Document);
}
