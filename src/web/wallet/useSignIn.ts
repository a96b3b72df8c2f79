/**
 * The steps of sign-in: choose a wallet, read the message, sign it. To create an account, the user enters a name. The service
 * keeps the signed message for that, so the user signs again only if it has expired.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { call } from "../api/client.ts"
import { isFailure } from "../api/failures.ts"
import { deployment, me, MINE } from "../api/queries.ts"
import type { Address } from "../../sdk/model/Address.ts"
import { remember, type Wallet } from "./provider.ts"
import * as Signing from "./signing.ts"
import { WalletRejected } from "./walletErrors.ts"

/** The message to sign, its account and its wallet. */
interface Prepared {
  readonly wallet: Wallet
  readonly address: Address
  readonly message: string
}

export interface SignInStep extends Prepared {
  readonly name: "signIn"
}

export interface SignUpStep extends Prepared {
  readonly name: "signUp"
  /** Signature of the message, with which the service found no account. Absent if the message is still to be signed. */
  readonly signature?: string
}

export type Step =
  | { readonly name: "choose" }
  | SignInStep
  | SignUpStep
  | { readonly name: "key"; readonly apiKey: string }
  | { readonly name: "done" }

const FREE = "This costs nothing and moves nothing."
const STATEMENTS = {
  signIn: `Sign in to the Sweep builder dashboard. ${FREE}`,
  either: `Sign in to the Sweep builder dashboard, or create an account for this wallet. ${FREE}`,
  signUp: `Create a Sweep builder account for this wallet. ${FREE}`
} as const

/** A message for the wallet's chain if the service supports it, because some wallets reject messages for other chains. */
const prepareWith = async (
  client: QueryClient,
  wallet: Wallet,
  address: Address,
  purpose: "signIn" | "signUp"
): Promise<Prepared> => {
  const [{ nonce }, { chains, selfSignup }, walletChain] = await Promise.all([
    call((api) => api.auth.nonce()),
    client.ensureQueryData(deployment),
    Signing.chainId(wallet.provider)
  ])
  const chain = chains.find(({ id }) => id === walletChain) ?? chains[0]
  const chainId = chain?.id ?? walletChain
  const statement = STATEMENTS[purpose === "signIn" && selfSignup ? "either" : purpose]
  const message = Signing.signInMessage({ address, chainId, nonce, statement, issuedAtMs: Date.now() })
  return { wallet, address, message }
}

/** Runs one step at a time, and ignores others meanwhile. `busy` names the one that runs, and `error` says why the last one failed. */
const useSteps = () => {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState<string>()
  // `busy` is known only once it is drawn. A second press may come before.
  const isRunning = useRef(false)

  const run = async (what: string, work: () => Promise<void>) => {
    if (isRunning.current) return
    isRunning.current = true
    setBusy(what)
    setError(undefined)
    try {
      await work()
    } catch (failure) {
      setError(failure)
    } finally {
      isRunning.current = false
      setBusy(undefined)
    }
  }

  return { busy, error, forgetError: () => setError(undefined), run }
}

export const useSignIn = () => {
  const client = useQueryClient()
  const [step, setStep] = useState<Step>({ name: "choose" })
  const { busy, error, forgetError, run } = useSteps()

  const prepare = (wallet: Wallet, address: Address, purpose: "signIn" | "signUp") =>
    prepareWith(client, wallet, address, purpose)

  const choose = (wallet: Wallet) =>
    run(wallet.info.uuid, async () => {
      const address = await Signing.connect(wallet.provider)
      setStep({ name: "signIn", ...(await prepare(wallet, address, "signIn")) })
    })

  const forgetOthers = () => client.removeQueries({ queryKey: [MINE] })

  const signIn = ({ address, message, wallet }: SignInStep) =>
    run("sign", async () => {
      try {
        const signature = await Signing.sign(wallet.provider, address, message)
        try {
          await call((api) => api.auth.verify({ payload: { message, signature } }))
        } catch (failure) {
          if (!isFailure(failure, "NoBuilder")) throw failure
          setStep({ name: "signUp", wallet, address, message, signature })
          return
        }
        remember(wallet)
        forgetOthers()
        await client.fetchQuery({ ...me, staleTime: 0 })
        setStep({ name: "done" })
      } catch (failure) {
        // A message that the service refused may be used up, so the next attempt needs a new one.
        if (!(failure instanceof WalletRejected)) {
          setStep({ name: "signIn", ...(await prepare(wallet, address, "signIn")) })
        }
        throw failure
      }
    })

  const signUp = (at: SignUpStep, name: string) =>
    run("sign", async () => {
      const { address, message, wallet } = at
      const signature = at.signature ?? (await Signing.sign(wallet.provider, address, message))
      try {
        const { apiKey } = await call((api) => api.signup.signUp({ payload: { message, signature, name } }))
        remember(wallet)
        forgetOthers()
        setStep({ name: "key", apiKey })
      } catch (failure) {
        // After other failures, such as those of the network, the signature is still good.
        const isSpent = isFailure(failure, "BadNonce") || isFailure(failure, "BadSignature")
        setStep(isSpent ? { name: "signUp", ...(await prepare(wallet, address, "signUp")) } : { ...at, signature })
        throw failure
      }
    })

  const enter = () =>
    run("enter", async () => {
      await client.fetchQuery({ ...me, staleTime: 0 })
      setStep({ name: "done" })
    })

  const restart = () => {
    forgetError()
    setStep({ name: "choose" })
  }

  return { step, error, busy, choose, signIn, signUp, enter, restart }
}

export type SignInFlow = ReturnType<typeof useSignIn>
