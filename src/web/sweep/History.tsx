/** Sweeps of the owner that another browser signed, from the service's public list. It says no more than the chains show. */
import { useQuery } from "@tanstack/react-query"
import type { SweepPage } from "../../sdk/index.ts"
import { Address } from "../ui/Address.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { useSession } from "./session.ts"
import { Bar, BADGES } from "./SweepParts.tsx"
import { isEnded } from "./submissions.ts"

type ListedSweep = SweepPage["sweeps"][number]

const PENDING_MILLIS = 10_000

const isPending = ({ intents }: ListedSweep): boolean => !intents.every(isEnded)

function Item({ sweep: { intents } }: { readonly sweep: ListedSweep }) {
  const delivered = intents.filter(({ status }) => status === "delivered").length
  const failed = intents.filter(({ status }) => status === "failed").length
  return (
    <li className="flex flex-col gap-2 px-4 py-3 sm:px-5">
      <p className="font-medium tabular-nums">
        {delivered} of {intents.length} delivered{failed > 0 && `, ${failed} failed`}
      </p>
      <Bar all={intents.length} delivered={delivered} failed={failed} />
      <details>
        <summary className="w-fit rounded-sm text-sm font-medium text-accent">Transactions</summary>
        <ul className="mt-2 flex flex-col gap-2">
          {intents.map(({ deliveryTxHash, id, status, txHash }) => {
            const [tone, text] = BADGES[status] ?? ["accent", "On its way"]
            const hashes = [...new Set([txHash, deliveryTxHash])].filter((hash) => hash !== undefined)
            return (
              <li className="flex flex-wrap items-center gap-x-3 gap-y-1" key={id}>
                <Badge tone={tone}>{text}</Badge>
                {hashes.map((hash) => (
                  <Address key={hash} label="transaction hash" value={hash} />
                ))}
              </li>
            )
          })}
        </ul>
      </details>
    </li>
  )
}

export function History() {
  const { account, client, submissions } = useSession()
  const found = useQuery({
    queryKey: ["history", account.address],
    queryFn: ({ signal }) => client.sweepsOf(account.address, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.sweeps.some(isPending) === true ? PENDING_MILLIS : false)
  })
  const known = new Set(
    submissions.list.flatMap(({ id, sweepId }) => [id, ...(sweepId === undefined ? [] : [sweepId])])
  )
  const others = (found.data?.sweeps ?? []).filter(
    ({ id, intents }) => !known.has(id) && !intents.some((intent) => known.has(intent.id))
  )
  if (others.length === 0) return null
  return (
    <Card
      description="Signed by this account, and not stored in this browser. The service keeps them."
      flush
      title="Sweeps from elsewhere"
    >
      <ul className="divide-y divide-line">
        {others.map((sweep) => (
          <Item key={sweep.id} sweep={sweep} />
        ))}
      </ul>
    </Card>
  )
}
