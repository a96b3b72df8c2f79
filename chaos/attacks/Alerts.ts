/** Alerts that the operator got, as the orchestrator's table has them. */
import { Effect } from "effect"
import type { World } from "../World.ts"

/** Makes `fresh`: the kinds of the alerts that were raised since its last call, with the names of their chains, each once. */
export const make = ({ alpha, beta, sql }: World) => {
  const known = new Set<string>()
  const names = new Map([alpha, beta].map(({ info: { id, name } }) => [String(id), name]))
  return {
    fresh: Effect.map(
      sql<{ id: string; kind: string; chain: string | null }>`
        SELECT id::text, kind, details->>'chainId' AS chain FROM orchestrator.alerts ORDER BY id`,
      (rows) => {
        const raised = rows.filter(({ id }) => !known.has(id))
        for (const { id } of raised) known.add(id)
        return [
          ...new Set(
            raised.map(({ chain, kind }) => (chain === null ? kind : `${kind} on ${names.get(chain) ?? chain}`))
          )
        ]
      }
    )
  }
}

export type Alerts = ReturnType<typeof make>
