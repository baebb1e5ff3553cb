import type { Document } from 'mongodb';

/** Parses the lines of a log that contain a string, such as the id of a request. */
export function logLinesWith(logged: string, text: string): Document[] {
  const lines = logged.split('\n').filter((line) => line.includes(text));
  return lines.map((line) => JSON.parse(line) as Document);
}
