// What the kernel knows of a process.
import { readFileSync } from 'node:fs';

/** Clock ticks of `/proc` are hundredths of a second on every Linux that there is. */
const microsecondsPerTick = 10_000;
const [utime, stime] = [11, 12];

/** Processor time of a process since its start, in microseconds. */
export function processorTime(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before the last bracket may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[utime]) + Number(fields[stime])) * microsecondsPerTick;
}

/** Resident memory in MB: now, and the highest since the start. */
export function residentMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field) =>
    Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  return { now: megabytes('VmRSS'), highest: megabytes('VmHWM') };
}
