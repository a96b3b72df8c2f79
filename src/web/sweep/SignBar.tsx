/** Actions on a reviewed quote: sign it, switch the wallet's network, get a new quote, or skip it. */
import { useMutation } from "@tanstack/react-query"
import { Button } from "../ui/Button.tsx"
import { Banner } from "./Banner.tsx"
import { chainName } from "./catalog.ts"
import { explain } from "./explain.ts"
import { useSession } from "./session.ts"

export interface SignBarProps {
  /** Source chain of the order. */
  readonly chainId: number
  readonly isExpired: boolean
  readonly isBusy: boolean
  readonly onSign: () => void
  readonly onRenew: () => void
  readonly onSkip?: () => void
}

export function SignBar({ chainId, isBusy, isExpired, onRenew, onSign, onSkip }: SignBarProps) {
  const { account, catalog, walletChain } = useSession()
  const change = useMutation({ mutationFn: async () => account.chain?.switchTo(chainId) })
  const chain = chainName(catalog.chain(chainId), chainId)
  const isElsewhere = account.chain !== undefined && walletChain !== undefined && walletChain !== chainId
  const skip = onSkip !== undefined && (
    <Button className="h-11 max-sm:flex-1" disabled={isBusy} onClick={onSkip}>
      Skip this token
    </Button>
  )
  if (isExpired) {
    return (
      <div className="flex flex-col gap-3">
        <Banner tone="warn">This quote has expired, and prices may have changed. Get a new one before you sign.</Banner>
        <div className="flex flex-wrap gap-2">
          <Button className="h-11 flex-1 basis-40" icon="refresh" onClick={onRenew} variant="primary">
            Get a new quote
          </Button>
          {skip}
        </div>
      </div>
    )
  }
  if (isElsewhere) {
    return (
      <div className="flex flex-col gap-3">
        <Banner tone="warn">
          {account.name} is on {chainName(catalog.chain(walletChain), walletChain)}. It signs this order only on {chain}
          .
        </Banner>
        {change.isError && (
          <Banner tone="bad">
            {explain(change.error)} If {account.name} does not know the network, add it there first.
          </Banner>
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            busy={change.isPending}
            className="h-11 flex-1 basis-40"
            onClick={() => change.mutate()}
            variant="primary"
          >
            Switch to {chain}
          </Button>
          {skip}
        </div>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button busy={isBusy} className="h-11 flex-1 basis-40 text-lg" onClick={onSign} variant="primary">
          Sign and sweep
        </Button>
        {skip}
      </div>
      <p className="text-center text-sm text-muted" role="status">
        {isBusy && account.kind === "wallet"
          ? `${account.name} asks you twice: for the order, and for the authorization.`
          : "Two signatures: the order, and the authorization. No gas, no approval."}
      </p>
    </div>
  )
}
