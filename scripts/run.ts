/** Runs a program to its end. Rejects with its output if it fails. */
export const run = async (command: ReadonlyArray<string>, cwd: string): Promise<void> => {
  const child = Bun.spawn([...command], { cwd, stdout: "pipe", stderr: "pipe" })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  if (code !== 0) throw new Error(`${command.join(" ")}\n${out}${error}`)
}
