/** Connects a browser wallet or, on the local network, a worthless key. */
import { type FormEvent, useState } from "react"
import { makeTurns } from "../lib/turns.ts"
import { Button } from "../ui/Button.tsx"
import { Input } from "../ui/Field.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { useWallets, type Wallet } from "../wallet/provider.ts"
import { Banner } from "./Banner.tsx"
import { explain } from "./explain.ts"
import type { AccountChoice } from "./useAccount.ts"
import { WhoCanSign } from "./WhoCanSign.tsx"

const PROMISES: ReadonlyArray<readonly [icon: IconName, title: string, text: string]> = [
  ["payout", "No gas", "You hold nothing but the tokens? That is enough."],
  ["key", "One signature", "For all tokens on all chains, and once an authorization for each chain."],
  ["lock", "Nothing happens unseen", "You see the least that arrives before you sign."]
]

function Promises() {
  return (
    <ul className="grid gap-3 sm:grid-cols-3">
      {PROMISES.map(([icon, title, text]) => (
        <li className="flex gap-3 sm:flex-col sm:gap-2" key={title}>
          <span className="grid size-9 shrink-0 place-items-center rounded-md bg-accent-soft text-accent">
            <Icon name={icon} size={18} />
          </span>
          <div>
            <p className="font-medium">{title}</p>
            <p className="text-sm text-muted">{text}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}

function WalletChoice({
  choose,
  isBusy,
  wallet
}: {
  readonly wallet: Wallet
  readonly isBusy: boolean
  readonly choose: (wallet: Wallet) => void
}) {
  return (
    <button
      aria-busy={isBusy}
      className="flex h-14 w-full items-center gap-3 rounded-md border border-line bg-surface px-4 text-left font-medium shadow-card transition-colors hover:border-line-strong hover:bg-canvas disabled:opacity-60"
      disabled={isBusy}
      onClick={() => choose(wallet)}
      type="button"
    >
      <img alt="" className="size-8 rounded-md" height={32} src={wallet.info.icon} width={32} />
      <span className="min-w-0 flex-1 truncate">{wallet.info.name}</span>
      <span className="text-sm font-normal text-muted">
        {isBusy ? "Waiting for the wallet …" : <Icon name="arrowRight" />}
      </span>
    </button>
  )
}

function LocalKey({ choice }: { readonly choice: AccountChoice }) {
  const [text, setText] = useState("")
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void choice.useKey(text).then((worked) => setWrong(!worked))
  }
  return (
    <section aria-label="Key for the local network" className="rounded-md bg-sunken p-4">
      <p className="font-medium">You are on the local network</p>
      <p className="mt-0.5 text-sm text-muted">
        Use one of the funded keys that <code className="font-mono">./sweep dev</code> wrote to{" "}
        <code className="font-mono">.sweep/dev.json</code>, or a fresh one. It stays in this tab. Never paste the key of
        an account that holds anything elsewhere.
      </p>
      <form className="mt-3 flex flex-col gap-2.5" onSubmit={submit}>
        <Input
          autoComplete="off"
          error={isWrong ? "This is no private key: it has 64 hexadecimal digits after 0x." : undefined}
          label="Private key"
          onChange={(event) => {
            setText(event.target.value)
            setWrong(false)
          }}
          placeholder="0x…"
          required
          spellCheck={false}
          type="password"
          value={text}
        />
        <div className="flex flex-wrap gap-2">
          <Button className="flex-1" type="submit">
            Use this key
          </Button>
          <Button className="flex-1" onClick={() => void choice.useKey()} variant="quiet">
            Make a fresh key
          </Button>
        </div>
      </form>
    </section>
  )
}

export function ConnectStep({ choice, isLocal }: { readonly choice: AccountChoice; readonly isLocal: boolean }) {
  const wallets = useWallets()
  const [busy, setBusy] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [beginChoice] = useState(makeTurns)
  /** A wallet may never answer, so another one can be chosen meanwhile. */
  const choose = (wallet: Wallet) => {
    const isLast = beginChoice()
    setBusy(wallet.info.uuid)
    setError(undefined)
    choice
      .connectWallet(wallet)
      .catch((failure: unknown) => isLast() && setError(failure))
      .finally(() => isLast() && setBusy(undefined))
  }
  return (
    <div className="mx-auto flex w-full max-w-[38rem] flex-col gap-6">
      <Promises />
      <section
        aria-label="Connect"
        className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-5 shadow-card sm:p-6"
      >
        <h2 className="text-xl font-semibold tracking-tight">Connect your wallet</h2>
        {error !== undefined && <Banner tone="bad">{explain(error)}</Banner>}
        {wallets.length === 0 ? (
          <div className="rounded-md border border-dashed border-line-strong p-4 text-muted">
            <p className="font-medium text-ink">No wallet was found in this browser</p>
            <p className="mt-1">A wallet appears here as soon as it is ready.</p>
          </div>
        ) : (
          <ul aria-label="Wallets" className="flex flex-col gap-2">
            {wallets.map((wallet) => (
              <li key={wallet.info.uuid}>
                <WalletChoice choose={choose} isBusy={busy === wallet.info.uuid} wallet={wallet} />
              </li>
            ))}
          </ul>
        )}
        {isLocal && <LocalKey choice={choice} />}
        <details className="text-sm text-muted">
          <summary className="rounded-sm font-medium text-accent">Which wallets can sweep?</summary>
          <div className="mt-3">
            <WhoCanSign />
          </div>
        </details>
      </section>
    </div>
  )
}
