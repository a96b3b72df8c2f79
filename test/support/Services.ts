/** The local network with the services on it, for end-to-end tests: real parts, each test file with its own chains and database. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { Context, Effect, FileSystem, Layer, Logger, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { createPublicClient, erc20Abi, type Hex, http } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import * as DevApp from "../../src/apps/DevApp.ts"
import type { DevInfo } from "../../src/devnet/DevInfo.ts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import * as Address from "../../src/domain/Address.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import { connections, TestServer } from "./Postgres.ts"
import { unlimited } from "./RateLimits.ts"
import * as SweepClient from "./SweepClient.ts"

export class Services extends Context.Service<Services, DevApp.DevApp>()("sweep/test/Services") {
  static layer(options: Omit<DevApp.Options, "directory"> = {}) {
    return Layer.effect(
      Services,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const server = yield* TestServer
        return yield* DevApp.start({
          directory: yield* fs.makeTempDirectoryScoped({ prefix: "sweep-test-" }),
          ...connections(yield* server.createMigrated),
          ...options,
          server: { rateLimits: unlimited, ...options.server }
        })
      })
    ).pipe(
      // The services' logs would bury the tests' output.
      Layer.provide([
        TestServer.layer,
        BunServices.layer,
        SecureRandom.layerWebCrypto,
        FetchHttpClient.layer,
        Logger.layer([])
      ]),
      Layer.orDie
    )
  }
}

/** The chain as the service and as the network know it. */
export interface Place {
  readonly info: DevInfo["chains"][number]
  readonly dev: DevChain
}

export const place = ({ info, network }: DevApp.DevApp, index: number): Place => {
  const [described, dev] = [info.chains[index], network.chains[index]]
  if (described === undefined || dev === undefined) throw new Error(`the local network has no chain ${index}`)
  return { info: described, dev }
}

/** A fresh key that holds just what it will sweep, and no gas. */
export const freshOwner = Effect.fnUntraced(function* (
  { dev, info }: Place,
  token: Parameters<DevChain["fund"]>[1]["token"],
  amount: string
) {
  const account = privateKeyToAccount(generatePrivateKey())
  const owner = Address.of(account.address)
  yield* dev.fund(owner, {
    token,
    amount: SweepClient.amountOf({ owner, chain: info, tokenIn: token, amountIn: amount, tokenOut: token })
  })
  return account
})

/** An account's balance of a token, by the token's symbol, in smallest units. */
export const balanceOf = ({ dev, info }: Place, symbol: string, account: Hex): Effect.Effect<bigint> =>
  Effect.promise(() => {
    const node = createPublicClient({ transport: http(dev.rpcUrl) })
    const token = SweepClient.tokenOf(info, symbol).address
    return token === NATIVE
      ? node.getBalance({ address: account })
      : node.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] })
  })

/**
 * The newest transaction of a sweep, once its chain's node has it: an intent shows a hash before it is sent, and shows another one if a
 * version that pays more replaces it.
 */
export const transactionOf = ({ dev }: Place, client: SweepClient.SweepClient, id: string) =>
  Effect.promise(() => client.until(id, (intent) => intent.text.includes("txHash"))).pipe(
    Effect.flatMap((intent) =>
      dev.node.ask("read a transaction that was sent", (node) =>
        node.getTransaction({ hash: intent.string("txHash") as Hex })
      )
    ),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 }),
    Effect.orDie
  )

export type Owner = PrivateKeyAccount
