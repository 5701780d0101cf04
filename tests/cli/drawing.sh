#!/bin/sh
# drawing.sh - trainc plan -o svg: self-contained XML, with every role by name, and an arrow for each named port.
. "$(dirname "$0")/cli.inc"
for program in "$root"/examples/*/*.tj; do
	"$TRAINC" plan -o json "$program" >plan.json 2>/dev/null && grep -q '"roles"' plan.json || continue
	"$TRAINC" plan -o svg "$program" >plan.svg 2>.err; holds test $? -eq 0
	if python3 - plan.svg plan.json <<-'END'; then ok; else fail "the drawing of $program"; fi
		import json, sys, xml.etree.ElementTree as xml
		root = xml.parse(sys.argv[1]).getroot()
		texts = ["".join(t.itertext()) for t in root.iter("{http://www.w3.org/2000/svg}text")]
		jobs = json.load(open(sys.argv[2]))["jobs"]
		for job in jobs:
		    assert any(t.split(":")[0] == job["name"] for t in texts), job["name"]
		    for role in job["roles"]:
		        assert any(t.replace("aux ", "").startswith(role["name"] + " \u00d7 ") for t in texts) == (role["replicas"]["max"] > 0), role["name"]
		width, height = float(root.get("width")), float(root.get("height"))
		for box in root.iter("{http://www.w3.org/2000/svg}rect"):
		    assert float(box.get("x")) + float(box.get("width")) <= width and float(box.get("y")) + float(box.get("height")) <= height
		text = open(sys.argv[1]).read()
		assert "href" not in text and "@import" not in text and text.count("url(") == text.count("url(#arrow)")
	END
done
cat >two.tj <<'END'
job "two" {
  image = "registry.example.com/a:1"
  role store { ports { kv = 7000 }, cpu = 1, memory = 1Gi }
  role reader { env { STORE = store.address(0, "kv") }, cpu = 1, memory = 1Gi }
}
END
"$TRAINC" plan -o svg two.tj >two.svg; holds grep -q '>kv 7000 from reader<' two.svg
holds test "$(grep -c 'marker-end' two.svg)" -eq 1
end
