/** Health of the orchestrator's dependencies: chains, lanes, queues and external services. */
import type { Health } from "../../domain/Health.ts"
import { NATIVE } from "../lib/native.ts"
import { type TokenBook, useTokenBook } from "../api/tokens.ts"
import * as explorer from "../lib/explorer.ts"
import { Address } from "../ui/Address.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Card, Stat, Stats } from "../ui/Card.tsx"
import { Table } from "../ui/Table.tsx"

type Condition = Health["status"]

const WORDS: Readonly<Record<Condition, string>> = { ok: "OK", degraded: "Degraded", down: "Down" }
const TONES: Readonly<Record<Condition, Tone>> = { ok: "good", degraded: "warn", down: "bad" }

export function ConditionBadge({ status }: { readonly status: Condition }) {
  return <Badge tone={TONES[status]}>{WORDS[status]}</Badge>
}

const contracts = (deployed: boolean | null, missing: ReadonlyArray<string> = []): string => {
  if (deployed === null) return "unknown"
  return deployed ? "in place" : ["missing", missing.join(", ")].filter(Boolean).join(": ")
}

/** Quotes are simulated with state overrides, which some nodes refuse. */
const simulates = (canSimulate: boolean | null | undefined): string => {
  if (canSimulate === null || canSimulate === undefined) return "unknown"
  return canSimulate ? "yes" : "no: no node takes state overrides"
}

type Relaying = Health["relaying"][number]

/** State of a lane: sending, or the reason why not. */
const sending = (relaying: Relaying | undefined): string => {
  if (relaying === undefined) return "–"
  if (relaying.paused) return "paused"
  if (relaying.status !== "ok") return "daily cap reached"
  return relaying.sends === false ? "no" : "yes"
}

function Chains({ book, chains, relaying }: Pick<Health, "chains" | "relaying"> & { readonly book: TokenBook }) {
  const relayingOn = (id: number) => relaying.find(({ chainId }) => chainId === id)
  return (
    <Card flush title="Chains">
      <Table
        caption="Chains"
        columns={[
          { title: "Chain", cell: ({ name }) => <span className="font-medium">{name}</span> },
          { title: "Status", cell: ({ status }) => <ConditionBadge status={status} /> },
          {
            title: "Newest block",
            cell: ({ blockNumber }) => blockNumber?.toLocaleString() ?? "–",
            align: "right",
            wideOnly: true
          },
          {
            title: "Age",
            cell: ({ blockAgeSeconds }) => (blockAgeSeconds === null ? "–" : `${blockAgeSeconds} s`),
            align: "right"
          },
          {
            title: "Contracts",
            cell: ({ contractsDeployed, missingContracts }) => contracts(contractsDeployed, missingContracts),
            wideOnly: true
          },
          { title: "Simulates", cell: ({ canSimulate }) => simulates(canSimulate), wideOnly: true },
          { title: "Sends", cell: ({ id }) => sending(relayingOn(id)) },
          {
            title: "Gas in a day",
            cell: ({ id }) => {
              const spent = relayingOn(id)?.spent ?? undefined
              return spent === undefined ? "–" : <Amount token={book.token(id, NATIVE)} value={spent} />
            },
            align: "right",
            wideOnly: true
          }
        ]}
        rowKey={({ id }) => String(id)}
        rows={chains}
      />
    </Card>
  )
}

function Lanes({ book, lanes }: Pick<Health, "lanes"> & { readonly book: TokenBook }) {
  return (
    <Card description="The keys that pay for gas" flush title="Lanes">
      <Table
        caption="Lanes"
        columns={[
          { title: "Chain", cell: ({ chainId }) => book.chainName(chainId) },
          {
            title: "Lane",
            cell: ({ address, chainId }) => (
              <Address href={explorer.account(book.chain(chainId), address)} label="lane" value={address} />
            )
          },
          { title: "Status", cell: ({ status }) => <ConditionBadge status={status} /> },
          {
            title: "Balance",
            cell: ({ balance, chainId }) =>
              balance === null ? "–" : <Amount token={book.token(chainId, NATIVE)} value={balance} />,
            align: "right"
          },
          { title: "Unconfirmed", cell: ({ unconfirmed }) => unconfirmed.toLocaleString(), align: "right" }
        ]}
        rowKey={({ address, chainId }) => `${chainId}:${address}`}
        rows={lanes}
      />
    </Card>
  )
}

export function HealthCards({ health }: { readonly health: Health }) {
  const book = useTokenBook()
  const { database, providers, queues } = health
  return (
    <>
      <Stats>
        <Stat label="Submitted" note="waiting to settle" value={queues.submitted.toLocaleString()} />
        <Stat label="Settled" note="waiting for delivery" value={queues.settledSource.toLocaleString()} />
        <Stat
          label="Messages"
          note={queues.outboxRejected === 0 ? "to the builder backend" : `${queues.outboxRejected} refused`}
          value={queues.outboxPending.toLocaleString()}
        />
        <Stat
          label="Database"
          note={database.latencyMs === null ? "no answer" : `${database.latencyMs} ms`}
          value={<ConditionBadge status={database.status} />}
        />
      </Stats>
      <div className="grid grid-cols-1 gap-5">
        <Chains book={book} chains={health.chains} relaying={health.relaying} />
        <Lanes book={book} lanes={health.lanes} />
      </div>
      <Card title="Services that it asks">
        <ul className="flex flex-wrap gap-x-6 gap-y-2">
          {providers.map(({ name, requests, status }) => (
            <li className="flex items-center gap-2" key={name} title={requests?.lastFailure ?? undefined}>
              <ConditionBadge status={status} />
              <span>{name}</span>
              {requests !== undefined && requests.retryAfterSeconds > 0 && (
                <span>asked again in {requests.retryAfterSeconds.toLocaleString()} s</span>
              )}
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}
