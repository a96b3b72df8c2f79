/**
 * The steps of sign-in: choose a wallet, read the message, sign it. To create an account, the user enters a name and signs
 * again, because a nonce can be used only once.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../api/client.ts"
import { isFailure } from "../api/failures.ts"
import { deployment, me, MINE } from "../api/queries.ts"
import type { Address } from "../../sdk/model/Address.ts"
import { remember, type Wallet } from "./provider.ts"
import * as Signing from "./signing.ts"

/** The message to sign, its account and its wallet. */
interface Prepared {
  readonly wallet: Wallet
  readonly address: Address
  readonly message: string
}

export interface SigningStep extends Prepared {
  readonly name: "signIn" | "signUp"
}

export type Step =
  | { readonly name: "choose" }
  | SigningStep
  | { readonly name: "key"; readonly apiKey: string }
  | { readonly name: "done" }

const STATEMENT = "Sign in to the Sweep builder dashboard. This costs nothing and moves nothing."
const SIGN_UP_STATEMENT = "Create a Sweep builder account for this wallet. This costs nothing and moves nothing."

/** A message for the wallet's chain if the service supports it, because some wallets reject messages for other chains. */
const prepareWith = async (
  client: QueryClient,
  wallet: Wallet,
  address: Address,
  statement: string
): Promise<Prepared> => {
  const [{ nonce }, { chains }, walletChain] = await Promise.all([
    call((api) => api.auth.nonce()),
    client.ensureQueryData(deployment),
    Signing.chainId(wallet.provider)
  ])
  const chain = chains.find(({ id }) => id === walletChain) ?? chains[0]
  const chainId = chain?.id ?? walletChain
  const message = Signing.signInMessage({ address, chainId, nonce, statement, issuedAtMs: Date.now() })
  return { wallet, address, message }
}

/** Runs one step at a time. `busy` names the one that runs, and `error` says why the last one failed. */
const useSteps = () => {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState<string>()

  const run = async (what: string, work: () => Promise<void>) => {
    setBusy(what)
    setError(undefined)
    try {
      await work()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(undefined)
    }
  }

  return { busy, error, forgetError: () => setError(undefined), run }
}

export const useSignIn = () => {
  const client = useQueryClient()
  const [step, setStep] = useState<Step>({ name: "choose" })
  const { busy, error, forgetError, run } = useSteps()

  const prepare = (wallet: Wallet, address: Address, statement: string) =>
    prepareWith(client, wallet, address, statement)

  const choose = (wallet: Wallet) =>
    run(wallet.info.uuid, async () => {
      const address = await Signing.connect(wallet.provider)
      setStep({ name: "signIn", ...(await prepare(wallet, address, STATEMENT)) })
    })

  /** A rejected message cannot be used again, so the next attempt needs a new one. */
  const renewing = async (at: SigningStep, work: () => Promise<void>) => {
    try {
      await work()
    } catch (failure) {
      if (!(failure instanceof Signing.WalletRejected)) {
        const statement = at.name === "signIn" ? STATEMENT : SIGN_UP_STATEMENT
        setStep({ ...(await prepare(at.wallet, at.address, statement)), name: at.name })
      }
      throw failure
    }
  }

  const forgetOthers = () => client.removeQueries({ queryKey: [MINE] })

  const signIn = (at: SigningStep) =>
    run("sign", () =>
      renewing(at, async () => {
        const { address, message, wallet } = at
        const signature = await Signing.sign(wallet.provider, address, message)
        try {
          await call((api) => api.auth.verify({ payload: { message, signature } }))
        } catch (failure) {
          if (!isFailure(failure, "NoBuilder")) throw failure
          setStep({ ...(await prepare(wallet, address, SIGN_UP_STATEMENT)), name: "signUp" })
          return
        }
        remember(wallet)
        forgetOthers()
        await client.fetchQuery({ ...me, staleTime: 0 })
        setStep({ name: "done" })
      })
    )

  const signUp = (at: SigningStep, name: string) =>
    run("sign", () =>
      renewing(at, async () => {
        const { address, message, wallet } = at
        const signature = await Signing.sign(wallet.provider, address, message)
        const { apiKey } = await call((api) => api.signup.signUp({ payload: { message, signature, name } }))
        remember(wallet)
        forgetOthers()
        setStep({ name: "key", apiKey })
      })
    )

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
