/** The steps of sign-in and sign-up. Each explains its effect first. */
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { sentence } from "../api/failures.ts"
import { deployment } from "../api/queries.ts"
import { Address } from "../ui/Address.tsx"
import { Button } from "../ui/Button.tsx"
import { CopyBlock } from "../ui/Copy.tsx"
import { Checkbox, Input } from "../ui/Field.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Notice } from "../ui/States.tsx"
import { useWallets } from "../wallet/provider.ts"
import { WalletFailed, WalletRejected } from "../wallet/walletErrors.ts"
import type { SignInFlow, SignInStep, SignUpStep } from "../wallet/useSignIn.ts"

const explain = (error: unknown): string =>
  error instanceof WalletRejected
    ? "You rejected this in your wallet. Nothing was sent, and you can try again."
    : error instanceof WalletFailed
      ? `Your wallet could not do this: ${error.message}.`
      : sentence(error)

function Failure({ error }: { readonly error: unknown }) {
  return error === undefined ? null : <Notice tone="bad">{explain(error)}</Notice>
}

/** The heading of each step takes the focus, so that screen readers announce the step. */
function StepTitle({ children }: { readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h1 className="text-xl font-semibold tracking-tight outline-none" ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

export function ChooseWallet({ flow }: { readonly flow: SignInFlow }) {
  const wallets = useWallets()
  const { data } = useQuery(deployment)
  return (
    <div className="flex flex-col gap-4">
      <div>
        <StepTitle>Sign in with your wallet</StepTitle>
        <p className="mt-1 text-muted">
          {data?.selfSignup === false
            ? "Your account is the wallet that your payouts go to."
            : "Your account is your wallet. New here? You can create one in the next step."}
        </p>
      </div>
      <Failure error={flow.error} />
      {wallets.length === 0 ? (
        <div className="rounded-md border border-dashed border-line-strong p-4 text-muted">
          <p className="font-medium text-ink">No wallet was found in this browser</p>
          <p className="mt-1">
            Install a browser wallet such as MetaMask, Rabby or Coinbase Wallet, or open this page in your wallet's own
            browser. It appears here as soon as it is ready.
          </p>
        </div>
      ) : (
        <ul aria-label="Wallets" className="flex flex-col gap-2">
          {wallets.map((wallet) => (
            <li key={wallet.info.uuid}>
              <button
                aria-busy={flow.busy === wallet.info.uuid}
                className="flex h-14 w-full items-center gap-3 rounded-md border border-line bg-surface px-4 text-left font-medium shadow-card transition-colors hover:border-line-strong hover:bg-canvas disabled:opacity-60"
                disabled={flow.busy !== undefined}
                onClick={() => void flow.choose(wallet)}
                type="button"
              >
                <img alt="" className="size-8 rounded-md" height={32} src={wallet.info.icon} width={32} />
                <span className="min-w-0 flex-1 truncate">{wallet.info.name}</span>
                <span className="text-sm font-normal text-muted">
                  {flow.busy === wallet.info.uuid ? "Waiting for the wallet …" : <Icon name="arrowRight" />}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function WhatIsSigned({ at }: { readonly at: SignInStep | SignUpStep }) {
  return (
    <div>
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <span className="text-sm font-medium">Your wallet will show this message</span>
        <Address label="your address" value={at.address} />
      </div>
      <pre
        aria-label="The message to sign"
        className="mt-2 max-h-64 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs break-words whitespace-pre-wrap"
        role="region"
        tabIndex={0}
      >
        {at.message}
      </pre>
    </div>
  )
}

function BackAndSign({ flow, label }: { readonly flow: SignInFlow; readonly label: string }) {
  return (
    <div className="flex gap-2">
      <Button disabled={flow.busy !== undefined} onClick={flow.restart}>
        Back
      </Button>
      <Button busy={flow.busy === "sign"} className="flex-1" type="submit" variant="primary">
        {label}
      </Button>
    </div>
  )
}

export function SignMessage({ at, flow }: { readonly at: SignInStep; readonly flow: SignInFlow }) {
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void flow.signIn(at)
      }}
    >
      <div>
        <StepTitle>Sign the message</StepTitle>
        <p className="mt-1 text-muted">
          It proves to this site that the wallet is yours, and is valid for this sign-in only.
        </p>
      </div>
      <WhatIsSigned at={at} />
      <Failure error={flow.error} />
      <BackAndSign flow={flow} label={`Sign with ${at.wallet.info.name}`} />
    </form>
  )
}

export function SignUp({ at, flow }: { readonly at: SignUpStep; readonly flow: SignInFlow }) {
  const [name, setName] = useState("")
  const { data } = useQuery(deployment)
  const isSigned = at.signature !== undefined
  if (data?.selfSignup === false) {
    return (
      <div className="flex flex-col gap-4">
        <StepTitle>This wallet has no account</StepTitle>
        <p className="text-muted">
          Builders are registered by the operator here. Send them this address, or sign in with the wallet that was
          registered.
        </p>
        <Address label="your address" value={at.address} />
        <Button onClick={flow.restart}>Use another wallet</Button>
      </div>
    )
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void flow.signUp(at, name.trim())
      }}
    >
      <div>
        <StepTitle>Create your builder account</StepTitle>
        <p className="mt-1 text-muted">
          This wallet has no account yet.{" "}
          {isSigned ? "Give it a name: you have signed already." : "Give it a name, and sign a new message."}
        </p>
      </div>
      <Input
        autoComplete="organization"
        help="What your users and the operator see. Payouts go to this wallet."
        label="Name"
        maxLength={64}
        onChange={(event) => setName(event.target.value)}
        pattern=".*\S.*"
        placeholder="Acme Wallet"
        required
        value={name}
      />
      {isSigned ? <Address label="your address" value={at.address} /> : <WhatIsSigned at={at} />}
      <Failure error={flow.error} />
      <BackAndSign flow={flow} label={isSigned ? "Create account" : "Sign and create account"} />
    </form>
  )
}

export function KeyOnce({ apiKey, flow }: { readonly apiKey: string; readonly flow: SignInFlow }) {
  const [isKept, setKept] = useState(false)
  return (
    <div className="flex flex-col gap-4">
      <div>
        <StepTitle>Keep your API key</StepTitle>
        <p className="mt-1 text-muted">
          It is shown only once, because only its hash is stored. You can replace it with a new key at any time.
        </p>
      </div>
      <CopyBlock label="Copy" text={apiKey} />
      <Checkbox checked={isKept} onChange={setKept}>
        I have stored the key in a safe place
      </Checkbox>
      <Failure error={flow.error} />
      <Button busy={flow.busy === "enter"} disabled={!isKept} onClick={() => void flow.enter()} variant="primary">
        Go to the dashboard
      </Button>
    </div>
  )
}
