/** From an empty folder to a deployment: chains, keystores, settings and contracts, by the commands of the guides. */
import { Effect } from "effect"
import { type Address, parseEther } from "viem"
import * as Accounts from "../../src/devnet/Accounts.ts"
import * as DevChain from "../../src/devnet/DevChain.ts"
import * as Filler from "../../src/devnet/Filler.ts"
import { failed } from "./Report.ts"
import type { Shell } from "./Shell.ts"

/** Fields that are no facts about a chain: `sweep init` has flags for them, or they follow from the entry. */
const NOT_FACTS = new Set(["id", "feeRecipient", "contracts"])

/** Blocks come without transactions too, so that no chain looks stale. */
export const BLOCK_SECONDS = 1

/** The reconciliation finds nonces that lanes used an hour ago, for which it needs an archive node. */
const STATES_KEPT = 10_000

export const LANE_MONEY = parseEther("50")

export const laneSetting = (number: number) => `keystore:lane-${number}.json?passphrase=lane-${number}.passphrase`

/** Starts both chains. They come with contracts of the service, which are not used: `sweep deploy` deploys others. */
export const chains = Effect.gen(function* () {
  const started = yield* Effect.all(
    [
      DevChain.start({
        id: 31_337,
        name: "alpha",
        node: "anvil",
        blockSeconds: BLOCK_SECONDS,
        statesKept: STATES_KEPT
      }),
      DevChain.start({ id: 31_338, name: "beta", node: "edr", blockSeconds: BLOCK_SECONDS })
    ],
    { concurrency: 2 }
  )
  yield* Filler.start(started)
  return started
})

export type Chains = Effect.Success<typeof chains>

/** Sets a lane's balance on a chain, in wei. */
export const fund = (dev: DevChain.DevChain, address: Address, value: bigint) =>
  dev.node.ask("fund a lane", (client) => client.setBalance({ address, value }))

/** Makes a keystore for a lane, and funds its account on both chains. */
export const lane = Effect.fnUntraced(function* ({ output }: Shell, all: Chains, number: number) {
  yield* output(`sweep keys new lane-${number}.json --passphrase-file lane-${number}.passphrase`)
  const said = yield* output(`sweep keys address '${laneSetting(number)}'`)
  const address = /0x[0-9a-fA-F]{40}/.exec(said)?.[0]
  if (address === undefined) return yield* failed(`no address in "${said}"`)
  yield* Effect.forEach(all, (dev) => fund(dev, address as Address, LANE_MONEY), { discard: true })
  return address as Address
})

export const initialised = Effect.fnUntraced(function* ({ output }: Shell, all: Chains, databaseUrl: string) {
  const facts = all.flatMap(({ chain }) =>
    Object.entries(chain)
      .filter(([field, value]) => !NOT_FACTS.has(field) && value !== undefined)
      .map(([field, value]) => {
        const text = typeof value === "string" ? value : JSON.stringify(value)
        return `--fact '${chain.id}.${field}=${text}'`
      })
  )
  const flags = all.map(({ chain, rpcUrl }) => `--chain ${chain.id} --rpc ${chain.id}=${rpcUrl}`)
  const owners = `--fee-recipient ${Accounts.feeRecipient().address} --guard-owner ${all[0].deployer.address}`
  yield* output(`sweep init --yes ${[...flags, ...facts, owners].join(" ")}`, {
    RELAYER_KEYS: [1, 2].map(laneSetting).join(","),
    DATABASE_URL: databaseUrl
  })
})

export const deployed = Effect.fnUntraced(function* ({ output }: Shell, all: Chains) {
  const [payer] = Accounts.users()
  yield* Effect.forEach(
    all,
    ({ chain }) => output(`sweep deploy --chain ${chain.id}`, { DEPLOYER_KEY: payer?.privateKey ?? "" }),
    { discard: true }
  )
})

/** Runs the doctor, which must find no error. */
export const healthy = Effect.fnUntraced(function* ({ run }: Shell) {
  const { code, err, out } = yield* run("sweep doctor")
  const lines = out.trim().split("\n")
  if (code !== 0) return yield* failed(`${lines.filter((line) => line.includes("ERROR")).join("\n")}\n${err}`)
  return lines.at(-1) ?? ""
})
