import { once } from 'node:events';

/**
 * Waits for the first message of a child process.
 *
 * @throws Error when the process exits before it sends one
 */
export async function firstMessage(child) {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`The child process exited with ${code} before its first message.`);
  });
  // A later exit is expected, but without this handler it would be an unhandled rejection.
  exited.catch(() => undefined);
  const [message] = await Promise.race([once(child, 'message'), exited]);
  return message;
}
