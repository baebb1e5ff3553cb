import { once } from 'node:events';

/**
 * Waits for the first message of a child process.
 *
 * @throws Error when the process exits before it sends one
 */
export async function firstMessage(child) {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`It ended with ${code}.`);
  });
  // After the message, any exit is fine.
  exited.catch(() => undefined);
  const [message] = await Promise.race([once(child, 'message'), exited]);
  return message;
}
