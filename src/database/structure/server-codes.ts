/** The server's code for a collection that is not there. */
export const namespaceNotFound = 26;
/** The server's code for an index that is not there. */
export const indexNotFound = 27;
/** The server's code for a change of what another process is changing. */
export const conflictingOperation = 117;

/** Lets an error of the server with this code pass. */
export function unless(expectedCode: number): (error: unknown) => undefined {
  return (error) => {
    if ((error as { code?: unknown }).code !== expectedCode) throw error;
    return undefined;
  };
}
