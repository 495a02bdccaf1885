// Checks the queries of adapters/github against GitHub's published schema: node validate.mjs FOLDER
import { readFileSync, readdirSync } from 'node:fs'
import { buildSchema, parse, specifiedRules, validate } from 'graphql'
import { schema as published } from '@octokit/graphql-schema'

const folder = process.argv[2]
const fragments = readFileSync(`${folder}/fragments.graphql`, 'utf8')
const schema = buildSchema(published.idl, { assumeValidSDL: true }) // it defines some fields twice, which are not ours
// Every query is checked beside all fragments, of which it uses some.
const rules = specifiedRules.filter(rule => rule.name !== 'NoUnusedFragmentsRule')
let faults = 0
const names = readdirSync(folder).filter(name => name !== 'fragments.graphql')
for (const name of names) {
  const query = readFileSync(`${folder}/${name}`, 'utf8')
  for (const error of validate(schema, parse(query + fragments), rules)) {
    faults++
    console.error(`${name}: ${error.message}`)
  }
}
console.log(`${names.length} queries, ${faults} faults`)
process.exit(faults || names.length === 0 ? 1 : 0)
