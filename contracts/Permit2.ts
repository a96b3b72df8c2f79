/** Permit2 from its own sources and settings, for the local network. */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { getContractAddress, type Hex } from "viem"
import { compile, type Compiled, inputOf } from "./Compiler.ts"

const require = createRequire(import.meta.url)

const isCanonicalPermit2 = (creationCode: Hex): boolean =>
  getContractAddress({
    opcode: "CREATE2",
    from: "0x4e59b44847b379578588920cA78FbF26c0B4956C",
    salt: "0x0000000000000000000000000000000000000000d3af2663da51c10215000000",
    bytecode: creationCode
  }) === "0x000000000022D473030F116dDEE9F6B43aC78BA3"

const PERMIT2_FIXTURE = join(import.meta.dirname, "test/fixtures/Permit2.json")

/** Its CREATE2 address proves that these are the deployed bytes, so once they are checked in they need no second compilation. */
export const permit2 = (): Pick<Compiled, "abi" | "creationCode"> => {
  if (existsSync(PERMIT2_FIXTURE)) {
    const checkedIn = JSON.parse(readFileSync(PERMIT2_FIXTURE, "utf8")) as Pick<Compiled, "abi" | "creationCode">
    if (isCanonicalPermit2(checkedIn.creationCode)) return checkedIn
  }
  const base = join(dirname(require.resolve("@uniswap/v4-periphery/package.json")), "lib/permit2")
  const paths = ["src/Permit2.sol"]
  const input = inputOf(base, paths, ["solmate/=lib/solmate/"], {
    optimizer: { enabled: true, runs: 1_000_000 },
    evmVersion: "london",
    metadata: { bytecodeHash: "none" }
  })
  const compiled = compile("solc-0-8-17", input, paths).get("Permit2")
  if (compiled === undefined || !isCanonicalPermit2(compiled.creationCode)) {
    throw new Error("Permit2 did not compile to the deployed bytes.")
  }
  return { abi: compiled.abi, creationCode: compiled.creationCode }
}
