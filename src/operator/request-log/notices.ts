/** Explains codes of what accepted requests did not do (rule OPS-36). */
export const notices: Readonly<
  Record<string, { readonly meaning: string; readonly remedy: string }>
> = {
  'lead.project_unmatched': {
    meaning: 'The project of the lead is not the name of a compound, so the lead has no compound',
    remedy: 'Send the name of a compound as `GET /compounds` returns it',
  },
  'callback.changed_nothing': {
    meaning: 'The callback changed neither reservation, cheque, unit nor wallet',
    remedy:
      'Compare the sent statuses and ids with the reservation; a callback that is sent twice has no second effect',
  },
};

export const ignoredFieldsNotice = {
  meaning: 'The request was accepted, but the service does not know some of its fields',
  remedy: 'Correct the names of the fields, or omit them',
};
