/** Target of the sweeps: token, chain and address. Shows how many of the tokens can arrive there. */
import type { Address, SweepableToken } from "../../sdk/index.ts"
import { Address as ShownAddress } from "../ui/Address.tsx"
import { Input, Select } from "../ui/Field.tsx"
import { chainName, type Place } from "./catalog.ts"
import { useSession } from "./session.ts"
import { arrivals, preferredToken } from "./target.ts"

export interface TargetFormProps {
  readonly tokens: ReadonlyArray<SweepableToken>
  readonly to: Place
  readonly onTarget: (to: Place) => void
  /** Input of another address. Undefined for the owner's address. */
  readonly typed: string | undefined
  readonly problem: string | undefined
  readonly onTyped: (text: string | undefined) => void
}

const canArrive = (count: number): string =>
  count === 0 ? "none of yours can" : count === 1 ? "1 can arrive" : `${count} can arrive`

function Choice({
  checked,
  label,
  onChoose
}: {
  readonly label: string
  readonly checked: boolean
  readonly onChoose: () => void
}) {
  return (
    <label className="flex cursor-pointer items-center gap-2.5">
      <input
        checked={checked}
        className="size-4 accent-(--accent-fill)"
        name="destination"
        onChange={onChoose}
        type="radio"
      />
      {label}
    </label>
  )
}

function Destination({
  onTyped,
  owner,
  problem,
  typed
}: Pick<TargetFormProps, "onTyped" | "problem" | "typed"> & { readonly owner: Address }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">To</legend>
      <Choice checked={typed === undefined} label="My own address" onChoose={() => onTyped(undefined)} />
      {typed === undefined && (
        <span className="pl-6.5 text-muted">
          <ShownAddress label="your address" value={owner} />
        </span>
      )}
      <Choice checked={typed !== undefined} label="Another address" onChoose={() => onTyped("")} />
      {typed !== undefined && (
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
    </fieldset>
  )
}

export function TargetForm({ onTarget, onTyped, problem, to, tokens, typed }: TargetFormProps) {
  const { account, catalog } = useSession()
  const symbol = catalog.token(to.chainId, to.address)?.symbol
  return (
    <div className="flex flex-col gap-4">
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
            {token.symbol} · {canArrive(arrivals(catalog, tokens, token))}
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
        {catalog.chains.map((chain) => (
          <option key={chain.id} value={chain.id}>
            {chainName(chain, chain.id)}
          </option>
        ))}
      </Select>
      <Destination onTyped={onTyped} owner={account.address} problem={problem} typed={typed} />
    </div>
  )
}
