/** The builder's account, and the reasons why most of it is read-only. */
import { percent } from "../lib/amounts.ts"
import { onDate } from "../lib/time.ts"
import { Address } from "../ui/Address.tsx"
import { Card } from "../ui/Card.tsx"
import { CopyIcon } from "../ui/Copy.tsx"
import { Detail, Details } from "../ui/Details.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Page } from "../ui/Page.tsx"
import { ThemeChoice } from "../ui/ThemeChoice.tsx"
import { useBuilder } from "./useBuilder.ts"

function Locked() {
  return (
    <span className="ml-2 inline-flex align-middle text-muted" title="Only the operator can change this">
      <Icon name="lock" size={13} />
      <span className="sr-only">only the operator can change this</span>
    </span>
  )
}

export function SettingsPage() {
  const builder = useBuilder()
  return (
    <Page description="Your account at the service." title="Settings">
      <Card
        description="The operator sets these, so that a stolen session cannot redirect your earnings."
        flush
        title="Account"
      >
        <Details>
          <Detail label="Name" note="Ask the operator to correct it.">
            {builder.name}
            <Locked />
          </Detail>
          <Detail label="Builder id" note="The builderId of your quotes. It never changes.">
            <code className="font-mono text-sm break-all">{builder.id}</code>{" "}
            <CopyIcon label="Copy builder id" text={builder.id} />
          </Detail>
          <Detail
            label="Payout address"
            note="Receives your earnings and signs you in. If it could be changed here, a stolen session could take both."
          >
            <Address full label="payout address" value={builder.payoutAddress} />
            <Locked />
          </Detail>
          <Detail
            label="Markup"
            note="Your share of each swept amount, in addition to the protocol's fee. The operator sets it, because users pay it."
          >
            {percent(builder.builderBps)} <span className="text-muted">({builder.builderBps} bps)</span>
            <Locked />
          </Detail>
          <Detail label="Markup cap" note="Maximum of the markup.">
            {percent(builder.maxBuilderBps)} <span className="text-muted">({builder.maxBuilderBps} bps)</span>
            <Locked />
          </Detail>
          <Detail label="Member since">{onDate(builder.createdAtMs)}</Detail>
        </Details>
      </Card>
      <Card flush title="Appearance">
        <Details>
          <Detail label="Theme" note="Kept in this browser.">
            <ThemeChoice />
          </Detail>
        </Details>
      </Card>
    </Page>
  )
}
