/** The items of a list that is separated by commas; a comma inside of one is written `\,`. */
export function listItems(list: string): string[] {
  return list.split(/(?<!\\),/).map((item) => item.replaceAll('\\,', ','));
}
