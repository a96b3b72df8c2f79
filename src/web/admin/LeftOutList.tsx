/** Builders who are owed enough, but are not in a payout batch, with the reason. */
import type { LeftOut, LeftOutReason } from "../../domain/Payout.ts"
import type { TokenInfo } from "../../domain/Token.ts"
import { Amount } from "../ui/Amount.tsx"

const REASONS: Readonly<Record<LeftOutReason, string>> = {
  excluded: "excluded by you",
  suspended: "suspended",
  sanctions_listed: "sanctions screening found the payout address",
  screening_unavailable: "sanctions screening gave no result",
  wallet_chain: "its contract wallet is on another chain",
  changed: "the account changed meanwhile, or no part of the amount fits in a batch"
}

/** Text of a reason. One of a later release is shown as it is. */
const textOf = (reason: string): string => new Map<string, string>(Object.entries(REASONS)).get(reason) ?? reason

export interface LeftOutListProps {
  readonly leftOut: ReadonlyArray<LeftOut>
  readonly token: TokenInfo | undefined
}

export function LeftOutList({ leftOut, token }: LeftOutListProps) {
  return (
    <ul aria-label="Left out" className="flex flex-col gap-1">
      {leftOut.map(({ amount, builderId, reason }) => (
        <li className="break-words" key={builderId}>
          <span className="font-mono text-sm">{builderId}</span>, <Amount token={token} value={amount} />:{" "}
          <span className="text-muted">{textOf(reason)}</span>
        </li>
      ))}
    </ul>
  )
}
