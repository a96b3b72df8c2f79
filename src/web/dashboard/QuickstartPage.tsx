/** Steps to a first attributed sweep. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { apiKey, deployment } from "../api/queries.ts"
import { buttonClasses } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { CopyButton } from "../ui/Copy.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Page } from "../ui/Page.tsx"
import { ErrorState, Skeleton } from "../ui/States.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { snippets } from "./snippets.ts"
import { useBuilder } from "./useBuilder.ts"

function Code({ code }: { readonly code: string }) {
  return (
    <div className="relative">
      <div className="absolute top-3 right-3">
        <CopyButton text={code} />
      </div>
      <pre
        aria-label="Code"
        className="max-h-[34rem] overflow-auto p-4 pt-14 font-mono text-sm sm:p-5 sm:pt-5"
        role="region"
        tabIndex={0}
      >
        {code}
      </pre>
    </div>
  )
}

function Stage({
  children,
  done = false,
  number,
  title
}: {
  readonly number: number
  readonly title: string
  readonly done?: boolean
  readonly children: ReactNode
}) {
  return (
    <li className="flex gap-3">
      <span
        className={`grid size-6 shrink-0 place-items-center rounded-full text-xs font-semibold ${
          done ? "bg-good-soft text-good" : "bg-accent-soft text-accent"
        }`}
      >
        {done ? <Icon name="check" size={13} /> : number}
        {done && <span className="sr-only">done</span>}
      </span>
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <div className="text-muted">{children}</div>
      </div>
    </li>
  )
}

export function QuickstartPage() {
  const builder = useBuilder()
  const view = useQuery(deployment)
  const key = useQuery(apiKey)
  const docs = view.data?.orchestratorUrl
  return (
    <Page
      actions={
        docs !== undefined && (
          <>
            <a className={buttonClasses("secondary", false)} href="/app/sweep">
              <Icon name="wallet" />
              Your users' view
            </a>
            <a className={buttonClasses("secondary", false)} href={`${docs}/docs`} rel="noreferrer" target="_blank">
              <Icon name="book" />
              API reference
            </a>
          </>
        )
      }
      description="Three calls and two signatures to a sweep attributed to you."
      title="Quickstart"
    >
      <Card>
        <ol className="grid gap-5 md:grid-cols-3">
          <Stage done={key.data?.lastUsedAtMs !== undefined} number={1} title="Use your key on your server">
            Put it in <code className="font-mono text-ink">SWEEP_API_KEY</code>.{" "}
            <Link className="text-accent underline underline-offset-2" to="/api-key">
              If you lost it, rotate it.
            </Link>
          </Stage>
          <Stage number={2} title="Run the code below">
            It quotes, signs and submits one sweep with your id in it.
          </Stage>
          <Stage number={3} title="Watch it settle">
            The sweep is in{" "}
            <Link className="text-accent underline underline-offset-2" to="/activity">
              your activity
            </Link>{" "}
            once it has settled{builder.builderBps === 0 ? " and your markup is above 0%" : ""}.
          </Stage>
        </ol>
      </Card>
      <Card flush>
        {view.isError ? (
          <ErrorState error={view.error} retry={view.refetch} />
        ) : view.data === undefined ? (
          <div className="p-5">
            <Skeleton className="h-96 w-full" />
          </div>
        ) : (
          <Tabs
            label="Language"
            tabs={snippets(builder, view.data).map(({ code, name }) => ({ name, content: <Code code={code} /> }))}
          />
        )}
      </Card>
    </Page>
  )
}
