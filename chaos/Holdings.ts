/** Balances of everybody whom sweeps touch, and their changes since the beginning of a run. */
import { Effect } from "effect"
import { erc20Abi, type Hex, type PrivateKeyAccount } from "viem"
import type { DevInfo } from "../src/devnet/DevInfo.ts"
import type { DevChain } from "../src/devnet/DevChain.ts"
import * as Tokens from "../src/devnet/Tokens.ts"
import type * as Checker from "./Checker.ts"

/** Token that owners sweep alone, and its target. */
export const TOKEN_IN = "DAI"
export const TOKEN_OUT = "USDC"
export const AMOUNT_IN = "50"

/** Tokens that owners sweep together. */
export const TOKENS_IN = [TOKEN_IN, "USDT"] as const

/** Amount of a token that each owner has: enough for the sweeps of a thousand steps. */
export const holdingOf = (token: Tokens.Symbol): bigint => Tokens.units(token, 50_000n)

/** Tokens of an owner on these chains, to sweep under one signature. */
export const walletOn = (places: ReadonlyArray<Place>) =>
  places.flatMap((place) =>
    TOKENS_IN.map((symbol) => ({ place, symbol, amount: Tokens.units(symbol, BigInt(AMOUNT_IN)) }))
  )

/** A chain as the network and as a client knows it. */
export interface Place {
  readonly dev: DevChain
  readonly info: DevInfo["chains"][number]
}

const balance = ({ dev }: Place, account: Hex, token: Hex) =>
  dev.node.ask("read a balance", (node) =>
    node.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] })
  )

/** Accounts whose money is counted: those that sweep, and those that each sweep pays. */
const watchedOn = (place: Place, owners: ReadonlyArray<Hex>) => {
  const { builderVault, feeRecipient } = place.dev.chain
  const tokensIn = TOKENS_IN.map((symbol) => place.dev.tokens[symbol])
  return [
    ...tokensIn.flatMap((token) => [
      { takesFees: false, token, accounts: owners },
      { takesFees: true, token, accounts: [feeRecipient] },
      { takesFees: false, token, accounts: builderVault === undefined ? [] : [builderVault] }
    ]),
    { takesFees: false, token: place.dev.tokens[TOKEN_OUT], accounts: owners }
  ].flatMap(({ accounts, takesFees, token }) => accounts.map((account) => ({ place, takesFees, token, account })))
}

/** Reads the balances now. Changes are measured from here on. */
export const make = Effect.fnUntraced(function* (places: ReadonlyArray<Place>, owners: ReadonlyArray<Hex>) {
  const watched = places.flatMap((place) => watchedOn(place, owners))
  const read = Effect.forEach(watched, ({ account, place, token }) => balance(place, account, token), {
    concurrency: "unbounded"
  })
  const before = yield* read
  /** Amounts that the run itself took from owners, by chain and account. */
  const taken = new Map<string, bigint>()
  const takenKey = ({ dev }: Place, account: string) => `${dev.chain.id} ${account.toLowerCase()}`

  const changes = Effect.map(read, (after) =>
    watched.map(({ account, place, takesFees, token }, index): Checker.Change => {
      const stolen = token === place.dev.tokens[TOKEN_IN] ? (taken.get(takenKey(place, account)) ?? 0n) : 0n
      return {
        chainId: place.dev.chain.id,
        account,
        takesFees,
        token,
        amount: (after[index] ?? 0n) - (before[index] ?? 0n) + stolen
      }
    })
  )

  /** Takes all that an owner sweeps, between two blocks, as if it had been spent elsewhere. */
  const drain = Effect.fnUntraced(function* (place: Place, owner: PrivateKeyAccount) {
    const token = place.dev.tokens[TOKEN_IN]
    const held = yield* balance(place, owner.address, token)
    yield* place.dev.node.ask("drain", (node) =>
      node.request<{ Method: "anvil_dealERC20"; Parameters: [Hex, Hex, Hex]; ReturnType: null }>({
        method: "anvil_dealERC20",
        params: [owner.address, token, "0x0"]
      })
    )
    const key = takenKey(place, owner.address)
    taken.set(key, (taken.get(key) ?? 0n) + held)
  })

  return { changes, drain }
})
