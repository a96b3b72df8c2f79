/** Choice of tokens and of the target, side by side on wide screens. */
import type { Address, SweepableToken } from "../../sdk/index.ts"
import { useLastError } from "../api/askAgain.ts"
import { dollars, total } from "../lib/usd.ts"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Skeleton } from "../ui/States.tsx"
import { Banner, Trouble } from "./Banner.tsx"
import { chainName, type Place } from "./catalog.ts"
import { Delegations } from "./Delegations.tsx"
import { Holdings, HoldingsSkeleton } from "./Holdings.tsx"
import { LookFor } from "./LookFor.tsx"
import { useSession } from "./session.ts"
import { SubmissionList } from "./SubmissionList.tsx"
import { TargetForm } from "./TargetForm.tsx"
import type { Choices } from "./useChoices.ts"
import { WhoCanSign } from "./WhoCanSign.tsx"

/** Maximum number of tokens under one signature. */
const MOST_TOKENS = 50

/** Tokens to sweep with one signature. */
export interface Plan {
  readonly tokens: ReadonlyArray<SweepableToken>
  readonly to: Place
  readonly destination: Address
}

function Summary({ tokens }: { readonly tokens: ReadonlyArray<SweepableToken> }) {
  return (
    <dl className="flex flex-col gap-1.5 border-t border-line pt-4 tabular-nums">
      <div className="flex justify-between gap-3">
        <dt className="text-muted">You sweep</dt>
        <dd>
          {tokens.length === 1 ? "1 token" : `${tokens.length} tokens`},{" "}
          {dollars(total(tokens.map(({ valueUsd }) => valueUsd)))}
        </dd>
      </div>
      <div className="flex justify-between gap-3">
        <dt className="text-muted">About, after fees</dt>
        <dd className="font-semibold">{dollars(total(tokens.map(({ estimatedNetUsd }) => estimatedNetUsd)))}</dd>
      </div>
    </dl>
  )
}

/** An account that runs the delegate on a chain needs no authorization there. */
const needsAuthorization = ({ delegation }: SweepableToken): boolean => delegation !== "ours"

function CannotAuthorize() {
  const { account } = useSession()
  return (
    <Banner tone="warn">
      <p className="font-medium">{account.name} cannot sign a sweep</p>
      <details className="mt-1 text-ink">
        <summary className="rounded-sm text-sm font-medium underline underline-offset-2">
          Why, and which wallets can
        </summary>
        <div className="mt-2 text-sm">
          <WhoCanSign />
        </div>
      </details>
    </Banner>
  )
}

export interface ChooseStepProps {
  readonly choices: Choices
  readonly onReview: (plan: Plan) => void
}

/** Names the chains whose tokens are missing from the list. */
function UnavailableChains({ found }: Pick<Choices, "found">) {
  const { catalog } = useSession()
  const ids = found.data?.unavailableChains ?? []
  if (ids.length === 0) return null
  const names = ids.map((id) => chainName(catalog.chain(id), id)).join(", ")
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 text-sm text-muted sm:px-5">
      <p className="flex-1 basis-56" role="status">
        Tokens on {names} are missing, because no node answered. They are shown as soon as one does.
      </p>
      <Button busy={found.isFetching} onClick={() => void found.refetch()} small>
        Try again
      </Button>
    </div>
  )
}

/** The form for the target, with the summary and the way on. */
function Target({ choices, onReview }: ChooseStepProps) {
  const { account } = useSession()
  const { destination, problem, setTo, setTyped, to, tokens, typed } = choices
  const chosen = choices.chosen.slice(0, MOST_TOKENS)
  return (
    <Card title="Where it goes">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (to === undefined || destination === undefined) return
          setTo(to)
          onReview({ tokens: chosen, to, destination })
        }}
      >
        {to === undefined ? (
          <Skeleton className="h-66 w-full" />
        ) : (
          <TargetForm onTarget={setTo} onTyped={setTyped} problem={problem} to={to} tokens={tokens} typed={typed} />
        )}
        <Summary tokens={chosen} />
        <Button
          className="h-11 w-full text-lg"
          disabled={
            chosen.length === 0 ||
            destination === undefined ||
            (!account.canAuthorize && chosen.some(needsAuthorization))
          }
          type="submit"
          variant="primary"
        >
          {chosen.length === 0
            ? "Choose a token"
            : chosen.length === 1
              ? "Review 1 token"
              : `Review ${chosen.length} tokens`}
        </Button>
        <p className="text-center text-sm text-muted">
          {chosen.length < choices.chosen.length
            ? `One signature covers ${MOST_TOKENS} tokens. Sweep the other ${choices.chosen.length - MOST_TOKENS} after that.`
            : "Nothing is signed yet."}
        </p>
      </form>
    </Card>
  )
}

export function ChooseStep({ choices, onReview }: ChooseStepProps) {
  const { account } = useSession()
  const { chosen, found, isChosen, to, toggle, tokens } = choices
  const trouble = useLastError(found)
  return (
    <div className="flex flex-col gap-5">
      {!account.canAuthorize && (chosen.length === 0 || chosen.some(needsAuthorization)) && <CannotAuthorize />}
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <Card
          actions={
            <Button
              aria-label="Refresh your tokens"
              busy={found.isFetching && found.data !== undefined}
              icon="refresh"
              onClick={() => void found.refetch()}
              small
              variant="quiet"
            >
              Refresh
            </Button>
          }
          description={
            found.data === undefined ? (
              <Skeleton className="h-4 w-24" />
            ) : (
              `${dollars(found.data.totalUsd)} on ${found.data.unavailableChains === undefined ? "all chains" : "the chains that answered"}`
            )
          }
          flush
          title="Your tokens"
        >
          {trouble !== null ? (
            <Trouble busy={found.isFetching} error={trouble} retry={found.refetch} />
          ) : found.data === undefined ? (
            <HoldingsSkeleton />
          ) : (
            <>
              <UnavailableChains found={found} />
              <Holdings
                areAllKnown={found.data.unavailableChains === undefined}
                isChosen={isChosen}
                onToggle={toggle}
                to={to}
                tokens={tokens}
              />
              <LookFor choices={choices} />
            </>
          )}
        </Card>
        <div className="lg:sticky lg:top-5">
          <Target choices={choices} onReview={onReview} />
        </div>
      </div>
      <SubmissionList />
      <Delegations />
    </div>
  )
}
