/** PostgreSQL's own programs, which are played in tests, since no package has them. */
import { Effect, FileSystem, Path } from "effect"

/** Tables that a dump must have. */
export const TABLES = ["builder ledger_entries", "orchestrator relay_transactions"]

/** Later than any version that a machine has. */
export const LATE = 99

/**
 * Plays both programs in this version. The dump is a text that lists its tables, and its time if `created` names one. `load` is called with
 * the URL of the database.
 */
export const programs = Effect.fnUntraced(function* (
  version: number,
  tables: ReadonlyArray<string>,
  load = ":",
  created?: string
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-tools-" })
  const list = [
    ...(created === undefined ? [] : [";", `; Archive created at ${created}`, ";     dbname: sweep"]),
    ...tables.map((table, index) => `${index}; 0 ${index} TABLE DATA ${table} postgres`)
  ].join("\n")
  const dump = `#!/bin/sh
case "$*" in *--version*) echo "pg_dump (PostgreSQL) ${version}.1"; exit;; esac
case "$*" in *secret*) echo "the password is among the arguments" >&2; exit 3;; esac
[ -z "$PGSERVICEFILE" ] || cp -p "$PGSERVICEFILE" "${directory}/$PGSERVICE"
for each; do case "$each" in --file=*) echo dumped > "\${each#--file=}";; esac; done
`
  const restore = `#!/bin/sh
case "$*" in *--version*) echo "pg_restore (PostgreSQL) ${version}.1"; exit;; esac
echo "$@" >> "${directory}/restores"
for each; do case "$each" in --dbname=*) ${load} "\${each#--dbname=}" || exit 4;; esac; done
cat <<LIST
${list}
LIST
`
  for (const [name, script] of Object.entries({ pg_dump: dump, pg_restore: restore })) {
    const file = path.join(directory, name)
    yield* fs.writeFileString(file, script)
    yield* fs.chmod(file, 0o755)
  }
  return { directory, settings: { PATH: `${directory}:/usr/bin:/bin` } }
})
