/** Alerts that the operator got, as the orchestrator's table has them. */
import { Effect } from "effect"
import type { World } from "../World.ts"

/** Makes `fresh`, the kinds of the alerts that were raised since its last call, each once. */
export const make = ({ sql }: World) => {
  const known = new Set<string>()
  return {
    fresh: Effect.map(
      sql<{ id: string; kind: string }>`SELECT id::text, kind FROM orchestrator.alerts ORDER BY id`,
      (rows) => {
        const raised = rows.filter(({ id }) => !known.has(id))
        for (const { id } of raised) known.add(id)
        return [...new Set(raised.map(({ kind }) => kind))]
      }
    )
  }
}

export type Alerts = ReturnType<typeof make>
