/** Quotes of wallets: 50 tokens on two chains in one request, beside one token in one request. */
import { Array, Effect } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type * as DevChain from "../../src/devnet/DevChain.ts"
import * as Address from "../../src/domain/Address.ts"
import type * as SweepClient from "../../test/support/SweepClient.ts"
import { cpuMillis } from "../ProcessTime.ts"
import * as Coins from "./Coins.ts"

/** Maximum time of a quote of 50 tokens, as a multiple of the time of one. */
export const LIMIT = 2

/** Tokens of a wallet on each chain. */
const TOKENS = 25

/** Wallets that are quoted before the samples are taken, so that code is compiled and prices are known. */
const WARM_UP = 2

export interface Wallets {
  readonly chains: readonly [DevChain.DevChain, DevChain.DevChain]
  readonly owners: ReadonlyArray<Address.Address>
}

/** Adds the tokens to both chains, and makes owners of all of them. */
export const make = Effect.fnUntraced(function* (
  [source, target]: readonly [DevChain.DevChain, DevChain.DevChain],
  count: number
) {
  const owners = Array.makeBy(WARM_UP + count, () => Address.of(privateKeyToAccount(generatePrivateKey()).address))
  const [first, second] = yield* Effect.all([Coins.add(source, TOKENS, owners), Coins.add(target, TOKENS, owners)], {
    concurrency: 2
  })
  return { chains: [first, second], owners } satisfies Wallets
})

interface Token {
  readonly chainId: number
  readonly token: string
  readonly amount: string
}

const tokensOf = ({ chain }: DevChain.DevChain): ReadonlyArray<Token> =>
  chain.tokens
    .filter(({ symbol }) => symbol.startsWith("COIN"))
    .map(({ address }) => ({ chainId: chain.id, token: address, amount: String(Coins.HELD) }))

const milliseconds = async (
  client: SweepClient.SweepClient,
  owner: Address.Address,
  [source]: Wallets["chains"],
  tokens: ReadonlyArray<Token>
): Promise<number> => {
  const from = performance.now()
  const answer = await client.post("/quotes", {
    owner,
    destination: owner,
    destChainId: source.chain.id,
    tokenOut: source.tokens.USDC,
    tokens,
    subscriptionActive: false,
    userId: "bench"
  })
  const elapsed = performance.now() - from
  const entries = answer.status === 200 ? (JSON.parse(answer.text) as { quotes: ReadonlyArray<object> }).quotes : []
  const unquoted = entries.find((entry) => !("quote" in entry))
  if (entries.length === tokens.length && unquoted === undefined) return elapsed
  throw new Error(
    unquoted === undefined
      ? `HTTP ${answer.status}: ${answer.text}`
      : `${JSON.stringify(unquoted)} has no quote. The reason busy on an idle service means that the machine has no time for it`
  )
}

/**
 * Times in milliseconds of the quotes of each owner, and the mean CPU time that the service `pid` takes for 50 tokens. One token and 50
 * take turns, so that both meet the same machine. The one token is swept across chains, as half of the 50 are, because a request takes
 * as long as its slowest token.
 */
export const measure = async (client: SweepClient.SweepClient, pid: number, { chains, owners }: Wallets) => {
  const [source, target] = chains
  const all = [...tokensOf(source), ...tokensOf(target)]
  const one = tokensOf(target).slice(0, 1)
  const times = { one: [] as Array<number>, fifty: [] as Array<number> }
  let cpu = 0
  for (const [index, owner] of owners.entries()) {
    const ofOne = await milliseconds(client, owner, chains, one)
    const before = cpuMillis(pid)
    const ofAll = await milliseconds(client, owner, chains, all)
    if (index < WARM_UP) continue
    times.one.push(ofOne)
    times.fifty.push(ofAll)
    cpu += cpuMillis(pid) - before
  }
  return { ...times, cpu: cpu / times.fifty.length }
}
