/** Delegation of the account on each chain, and its revocation. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type ServedChain, UsageError } from "../../sdk/index.ts"
import { askAgainAfterFailure } from "../api/askAgain.ts"
import { chainName } from "../lib/chainName.ts"
import { account as accountLink, transaction } from "../lib/explorer.ts"
import { Address } from "../ui/Address.tsx"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Skeleton } from "../ui/States.tsx"
import type { SweepAccount } from "./account.ts"
import { Banner } from "./Banner.tsx"
import { NATIVE } from "./catalog.ts"
import { type DelegationState, delegationState } from "./delegationState.ts"
import { explain } from "./explain.ts"
import { DELEGATION, useHoldings, useSession } from "./session.ts"

const BADGES: Readonly<Record<DelegationState["kind"] | "unknown", readonly [tone: Tone, text: string]>> = {
  none: ["neutral", "Not delegated"],
  ours: ["accent", "Runs the sweep delegate"],
  other: ["warn", "Runs another contract"],
  contract: ["warn", "Is a contract"],
  unknown: ["neutral", "Not known here"]
}

/** Reads the chain's node if there is one. Otherwise uses the delegation that the service returned with the tokens. */
const useDelegation = (chain: ServedChain) => {
  const { account, client, delegates, walletChain } = useSession()
  const found = useHoldings()
  const node = account.node(chain.id, walletChain)
  const asked = useQuery({
    queryKey: [DELEGATION, account.address, chain.id],
    enabled: node !== undefined,
    refetchInterval: askAgainAfterFailure,
    retry: false,
    queryFn: () => client.delegation(account.address, { chainId: chain.id, ...(node === undefined ? {} : { node }) })
  })
  const state = delegationState({
    read: asked.data,
    stated: found.data?.tokens.find(({ chainId }) => chainId === chain.id)?.delegation,
    known: delegates[chain.id],
    named: chain.contracts.delegate
  })
  const isFirst = node !== undefined && asked.isPending && asked.errorUpdateCount === 0
  const isPending = state === undefined && (found.isPending || isFirst)
  return { state, isPending, node, hasGas: hasGas(chain, found.data?.tokens) }
}

/** True if the owner can pay for a transaction. Undefined while it is unknown. */
const hasGas = (
  chain: ServedChain,
  tokens: ReadonlyArray<{ readonly chainId: number; readonly address: string; readonly balance: bigint }> | undefined
): boolean | undefined =>
  tokens?.some(({ address, balance, chainId }) => chainId === chain.id && address === NATIVE && balance > 0n)

/** The reason why the delegation cannot be revoked here. Undefined if it can. */
const obstacle = (
  chain: ServedChain,
  { canAuthorize, kind, sender }: SweepAccount,
  { hasGas, hasNode }: { readonly hasGas: boolean | undefined; readonly hasNode: boolean }
): string | undefined => {
  if (!canAuthorize) {
    return "Your wallet cannot sign this for a website. Look in the wallet's settings for “switch back to a regular account”."
  }
  if (sender === undefined) return "This app does not send revocations. The settings of its wallet may."
  // The payer of a host's transactions is unknown.
  if (hasGas === false && kind !== "host") {
    return `Revoking is a transaction of your own, and this account has no ${chain.nativeSymbol} on ${chainName(chain, chain.id)} to pay for it. It is not urgent: the delegate moves nothing without an order that you signed.`
  }
  return hasNode ? undefined : `Switch your wallet to ${chainName(chain, chain.id)} to revoke it.`
}

function ChainDelegation({ chain }: { readonly chain: ServedChain }) {
  const { account, client } = useSession()
  const queries = useQueryClient()
  const { hasGas, isPending, node, state } = useDelegation(chain)
  const [tone, text] = BADGES[state?.kind ?? "unknown"]
  const name = chainName(chain, chain.id)
  const revoke = useMutation({
    mutationFn: async () => {
      const sender = account.sender?.(chain.id)
      if (sender === undefined || node === undefined) throw new UsageError("nothing sends the owner's transactions")
      return client.revokeDelegation({ owner: account.signer, sender, chainId: chain.id, node })
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: [DELEGATION, account.address, chain.id] }),
        queries.invalidateQueries({ queryKey: ["holdings"] })
      ])
  })
  const change = useMutation({ mutationFn: async () => account.chain?.switchTo(chain.id) })
  const isDelegated = state?.kind === "ours" || state?.kind === "other"
  const why = obstacle(chain, account, { hasGas, hasNode: node !== undefined })
  const canSwitch =
    node === undefined && account.chain !== undefined && ((state === undefined && !isPending) || isDelegated)
  return (
    <li className="flex flex-col gap-2.5 px-4 py-3 sm:px-5">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium">{name}</span>
          {isPending ? <Skeleton className="h-5 w-32" /> : <Badge tone={tone}>{text}</Badge>}
          {state?.isStated === true && <span className="text-sm text-muted">according to the service</span>}
          {state?.delegate !== undefined && (
            <Address href={accountLink(chain, state.delegate)} label="the delegate" value={state.delegate} />
          )}
        </span>
        {canSwitch ? (
          <Button busy={change.isPending} onClick={() => change.mutate()} small>
            Switch to {name} to check
          </Button>
        ) : (
          isDelegated && (
            <Button
              aria-label={`Revoke on ${name}`}
              busy={revoke.isPending}
              disabled={why !== undefined}
              onClick={() => revoke.mutate()}
              small
            >
              Revoke
            </Button>
          )
        )}
      </div>
      {isDelegated && why !== undefined && <p className="text-sm text-muted">{why}</p>}
      {revoke.isError && <Banner tone="bad">{explain(revoke.error)}</Banner>}
      {change.isError && <Banner tone="bad">{explain(change.error)}</Banner>}
      {revoke.isSuccess && !isDelegated && (
        <Banner tone="good">
          Revoked. Your account on {name} is an ordinary account again.{" "}
          <Address href={transaction(chain, revoke.data)} label="transaction hash" value={revoke.data} />
        </Banner>
      )}
    </li>
  )
}

export function Delegations() {
  const { catalog } = useSession()
  return (
    <Card
      description="The contract that your account runs on each chain. You can revoke it at any time. The next sweep asks again."
      flush
      title="Delegation"
    >
      <ul className="divide-y divide-line">
        {catalog.chains
          .filter(({ features }) => features.source)
          .map((chain) => (
            <ChainDelegation chain={chain} key={chain.id} />
          ))}
      </ul>
    </Card>
  )
}
