/**
 * Shifts the wall clock of the process that preloads it by CHAOS_CLOCK_SHIFT_MILLIS, as a machine whose clock is wrong has it.
 * Every reader of the time in the process sees the shifted clock. Timers and the monotonic clock are right.
 */
const shiftMillis = Number(process.env["CHAOS_CLOCK_SHIFT_MILLIS"] ?? "0")
const realNow = Date.now.bind(Date)
const now = () => realNow() + shiftMillis

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, property) => (property === "now" ? now : Reflect.get(target, property))
})
