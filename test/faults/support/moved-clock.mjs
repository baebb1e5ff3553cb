// Loaded before the service, this moves its clock an hour ahead on SIGUSR2, and back on SIGHUP.
const hourMs = 3_600_000;
const Actual = Date;
let movedMs = 0;
process.on('SIGUSR2', () => (movedMs += hourMs));
process.on('SIGHUP', () => (movedMs -= hourMs));

globalThis.Date = new Proxy(Actual, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [Actual.now() + movedMs] : args, newTarget),
  apply: () => new Actual(Actual.now() + movedMs).toString(),
  get: (target, name) =>
    name === 'now' ? () => Actual.now() + movedMs : Reflect.get(target, name),
});
