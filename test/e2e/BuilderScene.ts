/** Steps of a builder and of its operator on the local network, for tests: over HTTP, and by the commands of `./sweep`. */
import { assert } from "@effect/vitest"
import { Effect, FileSystem, Path, Schema } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { createSiweMessage } from "viem/siwe"
import { projectRoot } from "../../src/cli/Project.ts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import { DevInfo } from "../../src/devnet/DevInfo.ts"
import { CHAINS_FILE } from "../../src/devnet/DevNetwork.ts"
import type * as Tokens from "../../src/devnet/Tokens.ts"
import * as ChainsFile from "../support/ChainsFile.ts"
import { freshOwner, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

interface Balance {
  readonly token: string
  readonly amount: string
}

interface Accruals {
  readonly balances: ReadonlyArray<Balance>
  readonly lifetime: ReadonlyArray<Balance>
}

export const amountIn = (balances: ReadonlyArray<Balance>, token: string): bigint =>
  BigInt(balances.find((balance) => balance.token === token)?.amount ?? 0)

/** Asks the backend as a program does, `headers` being its credential. */
export const ask = Effect.fnUntraced(function* <A>(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
  method = body === undefined ? "GET" : "POST"
) {
  return yield* Effect.promise(async () => {
    const response = await fetch(url, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
    return { answer: JSON.parse(text) as A, headers: response.headers }
  })
})

/** Asks until the answer is as wanted. The test's own limit ends it otherwise. */
export const until = <A>(wanted: (answer: NoInfer<A>) => boolean, question: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.gen(function* () {
    let answer = yield* question
    while (!wanted(answer)) {
      yield* Effect.promise(() => Bun.sleep(100))
      answer = yield* question
    }
    return answer
  })

const nonceOf = (backend: string) =>
  Effect.map(ask<{ nonce: string }>(`${backend}/auth/nonce`, {}), ({ answer }) => answer.nonce)

/** Signs up with a new wallet, as a dashboard does. */
export const signUp = Effect.fnUntraced(function* ({ builderUrl, chains, dashboardUrl }: DevInfo) {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const message = createSiweMessage({
    address: wallet.address,
    chainId: chains[0]?.id ?? 0,
    domain: new URL(dashboardUrl).host,
    uri: dashboardUrl,
    version: "1",
    nonce: yield* nonceOf(builderUrl)
  })
  const signature = yield* Effect.promise(() => wallet.signMessage({ message }))
  const { answer, headers } = yield* ask<{ builder: { id: string; builderBps: number }; apiKey: string }>(
    `${builderUrl}/builders/self`,
    {},
    { message, signature, name: "End to end" }
  )
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? ""
  return { wallet, cookie, apiKey: answer.apiKey, id: answer.builder.id }
})

/** Reads the builder's own profile. */
export const own = (info: DevInfo, cookie: string) => {
  const get = <A>(path: string) => Effect.map(ask<A>(`${info.builderUrl}${path}`, { cookie }), ({ answer }) => answer)
  return {
    accruals: get<Accruals>("/me/accruals"),
    activity: Effect.map(
      get<{
        entries: ReadonlyArray<{ sweepId: string; token: string; amount: string; paid: boolean }>
      }>("/me/activity"),
      ({ entries }) => entries
    )
  }
}

export const asAdmin = (info: DevInfo) => ({ authorization: `Bearer ${info.builderAdminToken}` })

/** Changes a builder as the operator. */
export const patch = (info: DevInfo, id: string, body: unknown) =>
  ask(`${info.builderUrl}/admin/builders/${id}`, asAdmin(info), body, "PATCH")

/** A quote for a fresh owner, with the key in it. */
export const quoteWith = Effect.fnUntraced(function* (apiKey: string, symbol: Tokens.Symbol, amount: string) {
  const services = yield* Services
  const alpha = place(services, 0)
  const owner = yield* freshOwner(alpha, symbol, amount)
  const client = SweepClient.make(services.info.orchestratorUrl, 40)
  const request = {
    owner: owner.address,
    chain: alpha.info,
    tokenIn: symbol,
    amountIn: amount,
    tokenOut: symbol === "USDC" ? "DAI" : "USDC"
  }
  const quote = yield* Effect.promise(() => client.quote({ ...request, apiKey }))
  assert.strictEqual(quote.status, 200, quote.text)
  return { client, owner, quote }
})

/** Sweeps with the key; the fees that the owner signed. */
export const sweepWith = Effect.fnUntraced(function* (apiKey: string, symbol: Tokens.Symbol, amount: string) {
  const { client, owner, quote } = yield* quoteWith(apiKey, symbol, amount)
  const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
  yield* Effect.promise(() => client.submitAccepted(signed))
  const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
  assert.strictEqual(ended.string("status"), "delivered", ended.text)
  return {
    txHash: ended.string("txHash"),
    builderFee: BigInt(quote.string("order.builderFee")),
    feeAmount: BigInt(quote.string("order.feeAmount")),
    builder: quote.string("order.builder"),
    quote
  }
})

/** A folder in which the operator's commands run: its `.sweep` is the network's, its `./sweep` is ours. */
export const shell = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { info, network } = yield* Services
  const directory = yield* fs.makeTempDirectoryScoped()
  yield* fs.makeDirectory(path.join(directory, ".sweep"))
  for (const name of ["node_modules", "sweep"]) {
    yield* fs.symlink(path.join(projectRoot, name), path.join(directory, name))
  }
  const json = yield* Schema.encodeEffect(Schema.fromJsonString(DevInfo))(info)
  yield* fs.writeFileString(path.join(directory, ".sweep", "dev.json"), json)
  const chains = yield* ChainsFile.write(network.chains, ({ rpcUrl }) => rpcUrl)
  yield* fs.copyFile(chains, path.join(directory, ".sweep", CHAINS_FILE))

  const run = (script: string) =>
    Effect.promise(async () => {
      const child = Bun.spawn(["sh", "-eu", "-c", script], {
        cwd: directory,
        env: { ...process.env, VAULT_KEY: Accounts.builderVault().privateKey },
        stdout: "pipe",
        stderr: "pipe",
        timeout: 60_000
      })
      const [out, error, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited
      ])
      return { out, error, code }
    })
  /** Output of commands that must succeed. */
  const outputOf = Effect.fnUntraced(function* (script: string) {
    const done = yield* run(script)
    assert.strictEqual(done.code, 0, `${script}\n${done.out}\n${done.error}`)
    return done.out
  })
  return { run, outputOf }
})
