// The first module to run, in syntax that old versions read: they get a sentence, not a stack.
const LEAST_MAJOR = 20
const major = Number(process.versions.node.split('.')[0])

if (major < LEAST_MAJOR) {
  process.stderr.write(
    `failmap: this is Node.js ${process.versions.node}, failmap needs Node.js ${LEAST_MAJOR} or later\n`,
  )
  process.exit(2)
}

export const nodeMajor = major
