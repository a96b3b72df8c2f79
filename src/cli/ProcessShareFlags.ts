/** `--roles` and `--chains` of `./sweep orchestrator`: the part of the service that a process runs. */
import { Effect } from "effect"
import { Flag } from "effect/cli"
import type { ChainId } from "../domain/ChainId.ts"
import { CHAIN_ROLES, ROLES, type Share } from "../domain/Role.ts"
import { UsageError } from "./UsageError.ts"

const ALL = "all"

export const flags = {
  roles: Flag.String("roles").pipe(
    Flag.withDescription(`Roles of this process, separated by commas: ${ROLES.join(", ")}. Default: all`),
    Flag.withDefault(ALL)
  ),
  chains: Flag.String("chains").pipe(
    Flag.withDescription(
      `Ids of the chains of the roles ${CHAIN_ROLES.join(" and ")}, separated by commas. Default: all of the chains file`
    ),
    Flag.withDefault(ALL)
  )
}

const wrong = (detail: string) => Effect.fail(new UsageError({ detail }))

const listOf = (text: string): ReadonlyArray<string> => text.split(",").map((each) => each.trim())

const rolesOf = Effect.fnUntraced(function* (text: string) {
  if (text === ALL) return new Set(ROLES)
  const names = listOf(text)
  const unknown = names.find((name) => !ROLES.some((role) => role === name))
  if (unknown !== undefined) {
    return yield* wrong(`--roles: "${unknown}" is no role. Use ${ROLES.join(", ")}, separated by commas`)
  }
  return new Set(ROLES.filter((role) => names.includes(role)))
})

/**
 * The part that the flags name.
 * @param configured Ids of the chains file.
 */
export const read = Effect.fn("ProcessShareFlags.read")(function* (
  { chains, roles }: { readonly chains: string; readonly roles: string },
  configured: ReadonlyArray<ChainId>
) {
  const own = yield* rolesOf(roles)
  if (chains === ALL) return { roles: own, chains: undefined } satisfies Share
  if (!CHAIN_ROLES.some((role) => own.has(role))) {
    return yield* wrong(
      `--chains divides the work of the roles ${CHAIN_ROLES.join(" and ")}, and this process has neither. Leave it out`
    )
  }
  const ids = listOf(chains)
  const unknown = ids.find((id) => !configured.some((chainId) => String(chainId) === id))
  if (unknown !== undefined) {
    return yield* wrong(`--chains: "${unknown}" is not in the chains file, which has ${configured.join(", ")}`)
  }
  return { roles: own, chains: new Set(ids.map(Number)) } satisfies Share
})
