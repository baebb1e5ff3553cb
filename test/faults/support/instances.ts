import { kill, send, type ServiceProcess, startProcess } from '../../support/service-process.js';

/** Addresses of instances as they are now; there may be none for a while. */
export type Urls = () => readonly string[];

/** Two instances on one database in processes of their own, which a test kills and starts again. */
export async function startTwoInstances(variables: Record<string, string>) {
  const running: (ServiceProcess | undefined)[] = await Promise.all([
    startProcess(variables),
    startProcess(variables),
  ]);
  return {
    urls: () => running.flatMap((one) => one?.url ?? []),
    /** Ends an instance at once, as a power cut does; requests go to the other one. */
    kill: async (index: number) => {
      const victim = running[index];
      running[index] = undefined;
      if (victim !== undefined) await kill(victim);
    },
    restart: async (index: number) => {
      running[index] = await startProcess(variables);
    },
  };
}

type Response = Awaited<ReturnType<typeof send>>;

/**
 * Requests that go to the instances by turns, or to a given one. Without a response their status is 0, and `error`
 * is the code of what happened to the connection.
 */
export function sendRoundRobin(urls: Urls, key: string) {
  let turn = 0;
  return async (
    request: Omit<Parameters<typeof send>[1], 'key'>,
    url?: string,
  ): Promise<
    Pick<Response, 'status' | 'headers'> & { body?: Response['body']; error?: string }
  > => {
    const all = urls();
    try {
      return await send(url ?? all[turn++ % all.length] ?? '', { ...request, key });
    } catch (error) {
      const { cause } = error as { cause?: NodeJS.ErrnoException };
      return { status: 0, headers: new Headers(), error: cause?.code ?? String(error) };
    }
  };
}
