/** Steps to a first earning, which tick as the service observes them, and code to copy. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import type { DeploymentView } from "../../../api/builder/DeploymentApi.ts"
import type { Builder } from "../../../domain/Builder.ts"
import { baseUrl } from "../../api/baseUrl.ts"
import { deployment } from "../../api/queries.ts"
import { buttonClasses } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { CopyButton } from "../../ui/Copy.tsx"
import { Input } from "../../ui/Field.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Page } from "../../ui/Page.tsx"
import { ErrorState, Skeleton } from "../../ui/States.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { Time } from "../../ui/Time.tsx"
import { milestones } from "../keys/queries.ts"
import { useBuilder } from "../useBuilder.ts"
import { KEY_PLACEHOLDER, type Snippet, snippets } from "./snippets.ts"

/** Form of an API key. Anything else would be code in the code. */
const KEY = /^swp_[0-9a-f]{64}$/

const LINK = "text-accent underline underline-offset-2"

function Code({ code, file, run }: Snippet) {
  return (
    <>
      <p className="max-w-[80ch] p-4 pb-0 text-muted sm:px-5">
        Save this as <code className="font-mono text-ink">{file}</code>. {run}
      </p>
      <div className="relative">
        <div className="absolute top-3 right-3">
          <CopyButton text={code} />
        </div>
        <pre
          aria-label="Code"
          className="max-h-[34rem] overflow-auto p-4 pt-14 font-mono text-sm sm:p-5"
          role="region"
          tabIndex={0}
        >
          {code}
        </pre>
      </div>
    </>
  )
}

interface StageProps {
  readonly number: number
  readonly title: string
  /** UNIX milliseconds at which the service observed the step. */
  readonly doneAtMs: number | undefined
  readonly children: ReactNode
}

function Stage({ children, doneAtMs, number, title }: StageProps) {
  const isDone = doneAtMs !== undefined
  return (
    <li className="flex gap-3">
      <span
        className={`grid size-6 shrink-0 place-items-center rounded-full text-xs font-semibold ${
          isDone ? "bg-good-soft text-good" : "bg-accent-soft text-accent"
        }`}
      >
        {isDone ? <Icon name="check" size={13} /> : number}
      </span>
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <div className="text-muted">
          {isDone ? (
            <>
              Done <Time ms={doneAtMs} />
            </>
          ) : (
            children
          )}
        </div>
      </div>
    </li>
  )
}

function Stages({ builder }: { readonly builder: Builder }) {
  const steps = useQuery(milestones)
  if (steps.isError) return <ErrorState error={steps.error} retry={steps.refetch} />
  return (
    <ol aria-live="polite" className="grid gap-5 sm:grid-cols-2 lg:grid-cols-4">
      <Stage doneAtMs={steps.data?.keyCreatedAtMs} number={1} title="Have a key that may quote">
        <Link className={LINK} to="/api-key">
          Create one, or rotate the default key.
        </Link>
      </Stage>
      <Stage doneAtMs={steps.data?.firstQuoteAtMs} number={2} title="Quote with your key">
        Run the code below. Its first call is the quote.
      </Stage>
      <Stage doneAtMs={steps.data?.firstDeliveryAtMs} number={3} title="Deliver a sweep">
        The code signs the order and submits it. The sweep is in{" "}
        <Link className={LINK} to="/sweeps">
          your sweeps
        </Link>
        .
      </Stage>
      <Stage doneAtMs={steps.data?.firstEarningAtMs} number={4} title="Earn">
        {builder.builderBps === 0
          ? "Your markup is 0%. Ask the operator to raise it, and sweep again."
          : "Your markup is booked once the sweep has settled."}
      </Stage>
    </ol>
  )
}

function Snippets({ builder, view }: { readonly builder: Builder; readonly view: DeploymentView }) {
  const [apiKey, setApiKey] = useState("")
  const key = apiKey.trim()
  const shown = snippets({
    builder,
    deployment: view,
    builderUrl: baseUrl,
    ...(KEY.test(key) ? { apiKey: key } : {})
  })
  return (
    <>
      <div className="border-b border-line p-4 sm:max-w-xl sm:px-5">
        <Input
          autoComplete="off"
          help="Optional. Completes the code of the widget and of MCP. It stays in this page."
          label="Your API key"
          onChange={(event) => setApiKey(event.target.value)}
          error={key === "" || KEY.test(key) ? undefined : "An API key is swp_ and 64 characters from 0-9 and a-f."}
          placeholder={KEY_PLACEHOLDER}
          spellCheck={false}
          value={apiKey}
        />
      </div>
      <Tabs label="Way" tabs={shown.map((each) => ({ name: each.name, content: <Code {...each} /> }))} />
    </>
  )
}

export function QuickstartPage() {
  const builder = useBuilder()
  const view = useQuery(deployment)
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
      description="From your key to your first earning. Each step is ticked when the service has seen it."
      title="Quickstart"
    >
      <Card>
        <Stages builder={builder} />
      </Card>
      <Card flush>
        {view.isError ? (
          <ErrorState error={view.error} retry={view.refetch} />
        ) : view.data === undefined ? (
          <div className="p-5">
            <Skeleton className="h-96 w-full" />
          </div>
        ) : (
          <Snippets builder={builder} view={view.data} />
        )}
      </Card>
    </Page>
  )
}
