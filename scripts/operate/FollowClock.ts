/**
 * Preloaded by every process of the drill. Its wall clock is ahead of the machine's by the milliseconds in the file that
 * OPERATE_CLOCK_FILE names, and follows the file while the process runs. Timers and the monotonic clock are right.
 */
import { readFileSync } from "node:fs"

/** Longest time for which two processes disagree, in milliseconds. */
const PAUSE_MILLIS = 100

const file = process.env["OPERATE_CLOCK_FILE"] ?? ""
const ahead = (): number => Number(readFileSync(file, "utf8"))

let aheadMillis = ahead()
setInterval(() => {
  aheadMillis = ahead()
}, PAUSE_MILLIS).unref()

const realNow = Date.now.bind(Date)
const now = () => realNow() + aheadMillis

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, property) => (property === "now" ? now : Reflect.get(target, property))
})
