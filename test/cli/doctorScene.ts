/** `sweep doctor` on a deployment with a real node and a real database. */
import { assert } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as ChainsFile from "../support/ChainsFile.ts"
import { withLiveClock } from "../support/LiveClock.ts"
import { OneChain } from "../support/OneChain.ts"
import { TestDatabase } from "../support/Postgres.ts"
import { StubServer } from "../support/StubServer.ts"
import { sweepHere } from "./inProcess.ts"

interface Finding {
  readonly check: string
  readonly level: string
  readonly code: string
  readonly subject: string
  readonly seen: string
  readonly advice: string
}

export interface Report {
  readonly ok: boolean
  readonly errors: number
  readonly findings: ReadonlyArray<Finding>
}

const BACKEND_TOKEN = "backend-token-of-the-test"

/** A healthy deployment, and the command on it with other settings. */
export const operator = Effect.fnUntraced(function* (change: Readonly<Record<string, unknown>> = {}) {
  const dev = yield* OneChain
  const fs = yield* FileSystem.FileSystem
  const file = yield* ChainsFile.write([dev], ({ rpcUrl }) => rpcUrl)
  const [{ contracts: _contracts, ...entry }] = JSON.parse(yield* fs.readFileString(file)) as [Record<string, unknown>]
  // Without `contracts` the addresses are computed from the same facts, and the code is compared.
  yield* fs.writeFileString(file, JSON.stringify([{ ...entry, timelockSeconds: 60, ...change }]))
  const backend = yield* StubServer
  yield* backend.answer(({ headers, path }) =>
    path === "/readyz" || headers.get("authorization") === `Bearer ${BACKEND_TOKEN}` ? { status: 200 } : { status: 401 }
  )
  const lane = generatePrivateKey()
  yield* dev.node.ask("endow the lane", (node) =>
    node.setBalance({ address: privateKeyToAccount(lane).address, value: parseEther("100") })
  )
  const settings = {
    ACROSS_FIXED_FEE_BPS: "10",
    ALERT_SLACK_URL: `${backend.url}/slack`,
    BUILDER_ADMIN_TOKEN: BACKEND_TOKEN,
    BUILDER_URL: backend.url,
    CHAINS_FILE: file,
    DATABASE_URL: (yield* TestDatabase).url,
    ORCH_ADMIN_TOKEN: "operator-token-of-the-test",
    RELAYER_KEYS: lane
  }
  const doctor = (more: Readonly<Record<string, string>> = {}, ...args: ReadonlyArray<string>) =>
    withLiveClock(sweepHere(["doctor", ...args], { ...settings, ...more }))
  const report = (more: Readonly<Record<string, string>> = {}, ...args: ReadonlyArray<string>) =>
    Effect.map(doctor(more, "--json", ...args), ({ code, err, out }) => {
      assert.notStrictEqual(out, "", err)
      return { code, err, ...(JSON.parse(out) as Report) }
    })
  return { dev, doctor, lane, report, settings }
})
