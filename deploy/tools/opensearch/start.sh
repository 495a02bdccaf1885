#!/usr/bin/env bash
# Starts a real OpenSearch for tests, runs a command while it is there, and stops it: start.sh [-n NODES] COMMAND... Without a command it only
# fetches what is needed.
# The command finds it at $OPENSEARCH_URL. Needs Java 17 and Maven, which fetches 55 MB into .build/opensearch once. A node has 1 GB of memory (HEAP).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fetched=$(cd "$here/../../.." && pwd)/.build/opensearch
version=2.19.1
nodes=1
if [ "${1:-}" = -n ]; then nodes=$2; shift 2; fi
for tool in java mvn unzip curl; do
  command -v "$tool" >/dev/null || { echo "error: $tool is missing; on Debian and Ubuntu: apt-get install openjdk-17-jre-headless maven unzip curl" >&2; exit 1; }
done
if ! (cd "$fetched" 2>/dev/null && sha256sum --quiet --check "$here/SHA256SUMS" >/dev/null 2>&1); then
  rm -rf "$fetched" && mkdir -p "$fetched"
  mvn --quiet --batch-mode -Dstyle.color=never --file "$here/pom.xml" dependency:copy -Dto="$fetched"
  (cd "$fetched" && sha256sum --quiet --check "$here/SHA256SUMS")
fi
if [ $# -eq 0 ]; then exit; fi

# OpenSearch refuses to run as root: everything is laid out where nobody can read it.
work=$(mktemp -d "${TMPDIR:-/tmp}/opensearch.XXXXXX")
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid 65534 --regid 65534 --clear-groups); fi
pids=()
stop() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap stop EXIT
home=$work/home
mkdir -p "$home/modules" "$home/plugins/opensearch-knn"
cp -r "$fetched/lib" "$home/lib"
unzip -q "$fetched/plugins/"*.zip -d "$home/plugins/opensearch-knn"
# module NAME CLASS: the released archive has these two files in each of its modules, the repository of Java packages has the jars alone.
module() {
  cp -r "$fetched/modules/$1" "$home/modules/$1"
  printf '%s\n' "description=$1" "version=$version" "name=$1" "classname=$2" java.version=11 "opensearch.version=$version" \
    extended.plugins= has.native.controller=false > "$home/modules/$1/plugin-descriptor.properties"
}
module analysis-common org.opensearch.analysis.common.CommonAnalysisPlugin
module lang-painless org.opensearch.painless.PainlessPlugin
module transport-netty4 org.opensearch.transport.Netty4Plugin
cat > "$home/modules/transport-netty4/plugin-security.policy" <<'POLICY'
grant {
  permission java.lang.RuntimePermission "getClassLoader";
  permission java.lang.RuntimePermission "setContextClassLoader";
  permission java.lang.RuntimePermission "accessDeclaredMembers";
  permission java.lang.reflect.ReflectPermission "suppressAccessChecks";
  permission java.net.SocketPermission "*", "accept,connect,resolve";
  permission java.net.NetPermission "*";
};
POLICY
cat > "$home/modules/lang-painless/plugin-security.policy" <<'POLICY'
grant {
  permission java.lang.RuntimePermission "createClassLoader";
  permission java.lang.RuntimePermission "getClassLoader";
};
POLICY

# Ports that are free now, a pair for each node.
ports=($(python3 - "$((2 * nodes))" <<'PY'
import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in held: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in held))
PY
))
seeds=() names=() urls=()
for n in $(seq 0 $((nodes - 1))); do
  seeds+=("127.0.0.1:${ports[2 * n + 1]}") names+=("node-$n") urls+=("127.0.0.1:${ports[2 * n]}")
done
join() { local IFS=,; echo "$*"; }
for n in $(seq 0 $((nodes - 1))); do
  conf=$work/node-$n
  mkdir -p "$conf/config" "$conf/data" "$conf/logs" "$conf/tmp"
  cat > "$conf/config/opensearch.yml" <<YAML
cluster.name: footnote-test
node.name: node-$n
path.data: $conf/data
path.logs: $conf/logs
network.host: 127.0.0.1
http.port: ${ports[2 * n]}
transport.port: ${ports[2 * n + 1]}
discovery.seed_hosts: [$(join "${seeds[@]}")]
cluster.initial_cluster_manager_nodes: [$(join "${names[@]}")]
cluster.routing.allocation.disk.threshold_enabled: false
YAML
  printf '%s\n' 'appender.out.type = Console' 'appender.out.name = out' 'appender.out.layout.type = PatternLayout' \
    'appender.out.layout.pattern = [%d][%p][%c{1.}] %m%n' 'rootLogger.level = warn' 'rootLogger.appenderRef.out.ref = out' > "$conf/config/log4j2.properties"
  # How each node is started again, for tests that kill it.
  cat > "$conf/run" <<RUN
#!/usr/bin/env bash
cd "$home"
exec ${as[*]} java -Xms${HEAP:-1g} -Xmx${HEAP:-1g} -Dopensearch.path.home="$home" -Dopensearch.path.conf="$conf/config" \
  -Dopensearch.distribution.type=tar -Dopensearch.bundled_jdk=false -Djava.security.manager=allow -Djava.io.tmpdir="$conf/tmp" -Djna.tmpdir="$conf/tmp" \
  -Dlog4j2.disable.jmx=true -Dlog4j.shutdownHookEnabled=false --add-opens=java.base/java.io=ALL-UNNAMED -cp 'lib/*' org.opensearch.bootstrap.OpenSearch
RUN
  chmod +x "$conf/run"
done
chmod -R a+rX "$work"
if [ "$(id -u)" = 0 ]; then chown -R 65534:65534 "$work"; fi
for n in $(seq 0 $((nodes - 1))); do
  "$work/node-$n/run" > "$work/node-$n.log" 2>&1 &
  pids+=($!)
  echo $! > "$work/node-$n.pid"
done
for _ in $(seq 720); do # three minutes: a machine may have much else to do
  if curl --silent --fail "http://${urls[0]}/_cluster/health?wait_for_nodes=$nodes&timeout=1s" >/dev/null; then up=1; break; fi
  kill -0 "${pids[0]}" 2>/dev/null || break
  sleep 0.25
done
if [ -z "${up:-}" ]; then echo 'error: OpenSearch did not start' >&2; tail -n 30 "$work"/node-*.log >&2; exit 1; fi

export OPENSEARCH_URL="opensearch://$(join "${urls[@]}")/?tls=off&replicas=$((nodes > 1 ? 1 : 0))" OPENSEARCH_NODES=$work
"$@"
