/** An address or a hash: checksummed, shortened, with a copy button and a link to the explorer if there is one. */
import { shorten } from "../lib/shorten.ts"
import { CopyIcon } from "./Copy.tsx"
import { Icon } from "./Icon.tsx"

export interface AddressProps {
  readonly value: string
  /** Label for screen readers, e.g. `payout address`. */
  readonly label: string
  readonly href?: string | undefined
  /** Show it in full on wide screens. */
  readonly full?: boolean
}

export function Address({ full = false, href, label, value }: AddressProps) {
  const text = (
    <span className="font-mono text-sm" title={value}>
      {full ? (
        <>
          <span className="hidden lg:inline">{value}</span>
          <span className="lg:hidden">{shorten(value)}</span>
        </>
      ) : (
        shorten(value)
      )}
    </span>
  )
  return (
    <span className="inline-flex items-center gap-1">
      {href === undefined ? (
        text
      ) : (
        <a
          className="inline-flex items-center gap-1 text-accent hover:underline"
          href={href}
          rel="noreferrer"
          target="_blank"
        >
          {text}
          <Icon name="external" size={12} />
          <span className="sr-only">(opens the explorer)</span>
        </a>
      )}
      <CopyIcon label={`Copy ${label}`} text={value} />
    </span>
  )
}
