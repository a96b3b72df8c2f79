/** Part of the service that this process runs. Loops of other roles and chains do not start. */
import { Context, Effect, Layer } from "effect"
import { type Role, type Share, WHOLE } from "../../domain/Role.ts"

/** Default: everything. */
export const ProcessShare = Context.Reference<Share>("sweep/orchestrator/ProcessShare", { defaultValue: () => WHOLE })

/** The layer if this process has one of the roles, and nothing otherwise. */
export const onlyIn =
  (...roles: ReadonlyArray<Role>) =>
  <E, R>(layer: Layer.Layer<never, E, R>): Layer.Layer<never, E, R> =>
    Layer.unwrap(
      Effect.map(ProcessShare, (share) => (roles.some((role) => share.roles.has(role)) ? layer : Layer.empty))
    )
