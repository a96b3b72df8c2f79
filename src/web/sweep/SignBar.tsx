/** Actions on reviewed quotes: sign them, or get new ones. */
import type { AuthorizationRequest } from "../../sdk/index.ts"
import { Button } from "../ui/Button.tsx"
import { Banner } from "./Banner.tsx"
import { chainName } from "./catalog.ts"
import { useSession } from "./session.ts"

export interface SignBarProps {
  readonly authorizations: ReadonlyArray<AuthorizationRequest>
  readonly isExpired: boolean
  readonly isBusy: boolean
  readonly onSign: () => void
  readonly onRenew: () => void
}

const listed = new Intl.ListFormat("en")

export function SignBar({ authorizations, isBusy, isExpired, onRenew, onSign }: SignBarProps) {
  const { account, catalog } = useSession()
  if (isExpired) {
    return (
      <div className="flex flex-col gap-3">
        <Banner tone="warn">
          These quotes cannot be signed any more, and prices may have changed. Get new ones before you sign.
        </Banner>
        <Button className="h-11 w-full" icon="refresh" onClick={onRenew} variant="primary">
          Get new quotes
        </Button>
      </div>
    )
  }
  const chains = listed.format(authorizations.map(({ chainId }) => chainName(catalog.chain(chainId), chainId)))
  const prompts = 1 + authorizations.length
  const signed =
    authorizations.length === 0
      ? "the sweep"
      : `the sweep, and ${authorizations.length === 1 ? "the authorization" : "an authorization each"} for ${chains}`
  return (
    <div className="flex flex-col gap-2">
      <Button busy={isBusy} className="h-11 w-full text-lg" onClick={onSign} variant="primary">
        Sign and sweep
      </Button>
      <p className="text-center text-sm text-muted" role="status">
        {isBusy && account.kind === "wallet"
          ? `${account.name} asks you ${prompts === 1 ? "once" : `${prompts} times`}: for ${signed}.`
          : `${prompts === 1 ? "One signature" : `${prompts} signatures`}: for ${signed}. No gas, no approval.`}
      </p>
    </div>
  )
}
