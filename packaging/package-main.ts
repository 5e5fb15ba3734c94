/* The beginning of the bundled server. */
import './stack-lines.ts'
import '../src/main.ts'
