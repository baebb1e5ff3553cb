import { once } from 'node:events';

/**
 * The first message of a child process.
 *
 * @throws Error when it ends before
 */
export async function firstMessage(child) {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`It ended with ${code}.`);
  });
  // Later on it may end as it likes.
  exited.catch(() => undefined);
  const [message] = await Promise.race([once(child, 'message'), exited]);
  return message;
}
