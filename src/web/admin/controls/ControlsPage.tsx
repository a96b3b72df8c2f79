/** Pauses of everything, of chains, of tokens and of builders. Each change holds at once, and is in the audit log. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { PauseSubject, PauseView } from "../../../domain/Pause.ts"
import { nameOf } from "../../../domain/PauseName.ts"
import { type TokenBook, useTokenBook } from "../../api/tokens.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Page } from "../../ui/Page.tsx"
import { EmptyState, ErrorState, Skeleton, StaleNotice } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"
import { missingSettings, NotConfigured } from "../NotConfigured.tsx"
import { operationsHealth, pauses } from "../queries.ts"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { PauseOther } from "./PauseOther.tsx"
import { subjectText } from "./subjectText.ts"

const running = (subject: PauseSubject): PauseView => ({
  subject,
  state: "running",
  configured: "running",
  chosen: null
})

interface RowProps {
  readonly book: TokenBook
  readonly pause: PauseView
  readonly condition?: "ok" | "degraded" | "down" | undefined
}

function Row({ book, condition, pause }: RowProps) {
  const [isAsking, setAsking] = useState(false)
  const { chosen, configured, state, subject } = pause
  const text = subjectText(subject, book)
  const isPaused = state === "paused"
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-all">{text}</span>
          <Badge tone={isPaused ? "bad" : "good"}>{isPaused ? "Paused" : "Running"}</Badge>
          {condition !== undefined && condition !== "ok" && (
            <Badge tone="bad">{condition === "degraded" ? "Blocks are old" : "Not usable"}</Badge>
          )}
        </p>
        <p className="text-sm text-muted">
          {chosen !== null ? (
            <>
              By {chosen.actor}, <Time ms={chosen.sinceMs} />
              {chosen.reason !== "" && `: ${chosen.reason}`}
            </>
          ) : (
            configured === "paused" && "By RELAYER_PAUSED_CHAINS"
          )}
        </p>
      </div>
      <Button
        aria-label={`${isPaused ? "Resume" : "Pause"} ${text}`}
        onClick={() => setAsking(true)}
        variant={isPaused ? "primary" : "secondary"}
      >
        {isPaused ? "Resume" : "Pause"}
      </Button>
      {isAsking && <ChangeDialog onClose={() => setAsking(false)} pause={pause} text={text} />}
    </li>
  )
}

function Controls({ standing }: { readonly standing: ReadonlyArray<PauseView> }) {
  const book = useTokenBook()
  const health = useQuery(operationsHealth)
  const of = (subject: PauseSubject) =>
    standing.find((pause) => nameOf(pause.subject) === nameOf(subject)) ?? running(subject)
  const others = standing.filter(({ subject }) => subject.scope === "token" || subject.scope === "builder")
  const conditionOf = (id: number) => health.data?.chains.find((chain) => chain.id === id)?.status
  return (
    <>
      <Card flush title="Everything">
        <ul>
          <Row book={book} pause={of({ scope: "all" })} />
        </ul>
      </Card>
      <Card description="Sweeps that start or arrive there. Apps see it at GET /chains." flush title="Chains">
        <ul className="divide-y divide-line">
          {book.chains.map(({ id }) => (
            <Row book={book} condition={conditionOf(id)} key={id} pause={of({ scope: "chain", chainId: id })} />
          ))}
        </ul>
      </Card>
      <Card actions={<PauseOther book={book} />} flush title="Tokens and builders">
        {others.length === 0 ? (
          <EmptyState icon="check" title="None are paused" />
        ) : (
          <ul className="divide-y divide-line">
            {others.map((pause) => (
              <Row book={book} key={nameOf(pause.subject)} pause={pause} />
            ))}
          </ul>
        )}
      </Card>
    </>
  )
}

export function ControlsPage() {
  const found = useQuery(pauses)
  const missing = missingSettings(found.error)
  return (
    <Page
      description="A paused sweep is neither quoted, accepted nor sent. Accepted ones wait, and sent ones are followed to their end."
      title="Controls"
    >
      {found.isError && found.data !== undefined && <StaleNotice error={found.error} retry={found.refetch} />}
      {found.data !== undefined ? (
        <Controls standing={found.data} />
      ) : missing !== undefined ? (
        <NotConfigured missing={missing} />
      ) : found.isError ? (
        <Card>
          <ErrorState error={found.error} retry={found.refetch} />
        </Card>
      ) : (
        <Skeleton className="h-64 w-full" />
      )}
    </Page>
  )
}
