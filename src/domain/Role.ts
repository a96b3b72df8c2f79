/** Roles of an orchestrator process: the parts of the service that it runs. Together the processes of a deployment run all of them. */
import type { ChainId } from "./ChainId.ts"

export const ROLES = ["api", "relay", "watch", "outbox"] as const
export type Role = (typeof ROLES)[number]

/** Roles whose work can be divided by chain. */
export const CHAIN_ROLES = ["relay", "watch"] as const satisfies ReadonlyArray<Role>

/** Part of the service that one process runs. */
export interface Share {
  readonly roles: ReadonlySet<Role>
  /** Chains of the roles that are divided by chain. Undefined: every configured chain. */
  readonly chains: ReadonlySet<ChainId> | undefined
}

/** Everything. */
export const WHOLE: Share = { roles: new Set(ROLES), chains: undefined }

const hasChains = (role: Role): boolean => CHAIN_ROLES.some((each) => each === role)

/** True if a process with the share does the role's work of the chain. */
export const worksOn = ({ chains, roles }: Share, role: (typeof CHAIN_ROLES)[number], chainId: ChainId): boolean =>
  roles.has(role) && (chains === undefined || chains.has(chainId))

/** Work that needs a living process: a role, on one chain if the role is divided by chain. */
export interface Post {
  readonly role: Role
  readonly chainId?: ChainId
}

/** Name of a post, unique among posts. */
export const nameOf = ({ chainId, role }: Post): string => (chainId === undefined ? role : `${role}:${chainId}`)

/** The posts of a process with the share, in a fixed order. */
export const postsOf = ({ chains, roles }: Share, configured: ReadonlyArray<ChainId>): ReadonlyArray<Post> =>
  ROLES.filter((role) => roles.has(role)).flatMap((role): ReadonlyArray<Post> => {
    if (!hasChains(role)) return [{ role }]
    return configured
      .filter((chainId) => chains === undefined || chains.has(chainId))
      .map((chainId) => ({ role, chainId }))
  })

/**
 * The posts without a living process: the last heartbeat of each is older than the lifetime, or there was none. `ages` has the age of
 * the last heartbeat of each post in milliseconds, by its name.
 */
export const abandoned = (
  posts: ReadonlyArray<Post>,
  ages: ReadonlyMap<string, number>,
  lifetimeMillis: number
): ReadonlyArray<Post> => posts.filter((post) => (ages.get(nameOf(post)) ?? Number.POSITIVE_INFINITY) > lifetimeMillis)
