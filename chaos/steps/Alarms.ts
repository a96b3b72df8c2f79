/** The alerts of both services, as their tables have them. */
import { Effect, Schedule } from "effect"
import type { World } from "../World.ts"

export interface Alarm {
  readonly service: string
  readonly id: string
  readonly key: string
  readonly kind: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly stands: boolean
}

/** Longer than any review that clears an alert whose cause is gone. */
const CLEARING = "45 seconds"

const all = ({ sql }: World) => sql<Alarm>`
  SELECT 'orchestrator' AS service, id::text, key, kind, message, details, cleared_at IS NULL AS stands FROM orchestrator.alerts
  UNION ALL
  SELECT 'builder' AS service, id::text, key, kind, message, details, cleared_at IS NULL AS stands FROM builder.alerts`

const nameOf = ({ id, service }: Alarm) => `${service} ${id}`

/** Remembers what it has seen, so that each alert is judged in the step in which it was raised. */
export const make = (world: World) => {
  const known = new Set<string>()
  const given = new Set<string>()
  const standing = Effect.map(all(world), (alarms) => alarms.filter(({ stands }) => stands))

  return {
    standing,
    /** Alerts that were raised since the last call. */
    raised: Effect.map(all(world), (alarms) => {
      const fresh = alarms.filter((alarm) => !known.has(nameOf(alarm)))
      for (const alarm of fresh) known.add(nameOf(alarm))
      return fresh
    }),
    /** Waits until no alert stands. Returns those that stay. Each is waited for once. */
    lasting: standing.pipe(
      Effect.map((alarms) => alarms.filter((alarm) => !given.has(nameOf(alarm)))),
      Effect.repeat({ schedule: Schedule.spaced("250 millis"), until: (alarms) => alarms.length === 0 }),
      Effect.timeoutOption(CLEARING),
      Effect.flatMap(() => standing),
      Effect.map((alarms) => {
        const staying = alarms.filter((alarm) => !given.has(nameOf(alarm)))
        for (const alarm of staying) given.add(nameOf(alarm))
        return staying
      })
    )
  }
}

export type Alarms = ReturnType<typeof make>
