/** Target of the sweep: token, chain and address. */
import type { Address } from "../../sdk/index.ts"
import { Address as ShownAddress } from "../ui/Address.tsx"
import { Button } from "../ui/Button.tsx"
import { Input, Select } from "../ui/Field.tsx"
import { account as accountLink } from "../lib/explorer.ts"
import { sameAddress } from "../../sdk/model/Address.ts"
import { NATIVE, type Place, unitOf } from "./catalog.ts"
import { contradiction, namesake } from "./knownToken.ts"
import { useSession } from "./session.ts"
import { preferredToken } from "./target.ts"

export interface TargetFormProps {
  readonly to: Place
  readonly onTarget: (to: Place) => void
  /** Input of another address. Undefined for the owner's address. */
  readonly typed: string | undefined
  readonly problem: string | undefined
  readonly onTyped: (text: string | undefined) => void
}

function Destination({
  onTyped,
  owner,
  problem,
  typed
}: Pick<TargetFormProps, "onTyped" | "problem" | "typed"> & { readonly owner: Address }) {
  const isOwn = typed === undefined
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="min-w-0 text-muted">
          {isOwn ? (
            <>
              To your address <ShownAddress label="your address" value={owner} />
            </>
          ) : (
            "To another address"
          )}
        </span>
        <Button onClick={() => onTyped(isOwn ? "" : undefined)} small variant="quiet">
          {isOwn ? "Change" : "Use my own"}
        </Button>
      </div>
      {!isOwn && (
        <Input
          autoComplete="off"
          error={typed === "" ? undefined : problem}
          help="Check the address. A transfer to it cannot be undone."
          hideLabel
          label="Destination address"
          onChange={(event) => onTyped(event.target.value)}
          placeholder="0x…"
          spellCheck={false}
          value={typed}
        />
      )}
    </div>
  )
}

/** Address of the token to receive, because a symbol proves nothing, and what contradicts the facts that the page ships. */
function Token({ to }: Pick<TargetFormProps, "to">) {
  const { catalog } = useSession()
  const stated = { ...to, ...unitOf(catalog, to) }
  const [refused, doubt] = [contradiction(stated), namesake(stated)]
  const { symbol } = stated
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      {sameAddress(to.address, NATIVE) ? (
        <span>
          <bdi>{symbol}</bdi> is the currency of {catalog.chainName(to.chainId)}
        </span>
      ) : (
        <span>
          Contract of <bdi>{symbol}</bdi>{" "}
          <ShownAddress
            href={accountLink(catalog.chain(to.chainId), to.address)}
            label="the contract to receive"
            value={to.address}
          />
        </span>
      )}
      {refused !== undefined && (
        <p className="text-bad" role="alert">
          {refused} Choose another token.
        </p>
      )}
      {doubt !== undefined && (
        <p className="wrap-anywhere text-warn" role="status">
          {doubt}
        </p>
      )}
    </div>
  )
}

export function TargetForm({ onTarget, onTyped, problem, to, typed }: TargetFormProps) {
  const { account, catalog } = useSession()
  const symbol = catalog.token(to.chainId, to.address)?.symbol
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3">
        <Select
          label="Receive"
          onChange={(event) => {
            const token = catalog.tokensOn(to.chainId).find(({ address }) => address === event.target.value)
            if (token !== undefined) onTarget(token)
          }}
          value={to.address}
        >
          {catalog.tokensOn(to.chainId).map((token) => (
            <option key={token.address} value={token.address}>
              {token.symbol}
            </option>
          ))}
        </Select>
        <Select
          label="On"
          onChange={(event) => {
            const next = preferredToken(catalog, Number(event.target.value), symbol)
            if (next !== undefined) onTarget(next)
          }}
          value={to.chainId}
        >
          {catalog.chains.map(({ id }) => (
            <option key={id} value={id}>
              {catalog.chainName(id)}
            </option>
          ))}
        </Select>
      </div>
      <Token to={to} />
      <Destination onTyped={onTyped} owner={account.address} problem={problem} typed={typed} />
    </div>
  )
}
