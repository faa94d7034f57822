package mcpserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// debianMaven is where Debian's packages of Maven plugins lie: with them a build
// needs no network.
const debianMaven = "/usr/share/maven-repo"

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>p</groupId><artifactId>p</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies>
  <build><plugins>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
  </plugins></build>
</project>
`

const mavenTest = `package p;

import static org.junit.Assert.assertEquals;
import org.junit.Ignore;
import org.junit.Test;

public class ATest {
    @Test
    public void adds() {
        assertEquals(3, A.add(1, 2));
    }

    @Test
    public void fails() {
        assertEquals("one and two", 4, A.add(1, 2));
    }

    @Test
    @Ignore("later")
    public void skipped() {}
}
`

// TestMaven compiles and tests with the real Maven, where it and Debian's plugins
// are installed (apt-get install maven libmaven-compiler-plugin-java
// libmaven-resources-plugin-java libsurefire-java junit4); elsewhere its recorded
// output is decoded in package diag.
func TestMaven(t *testing.T) {
	if _, err := exec.LookPath("mvn"); err != nil {
		t.Log("mvn is not installed")
		return
	}
	for _, plugin := range []string{"maven-compiler-plugin/3.10.1", "maven-surefire-plugin/2.22.3", "maven-resources-plugin/3.3.0"} {
		if _, err := os.Stat(filepath.Join(debianMaven, "org/apache/maven/plugins", plugin)); err != nil {
			t.Logf("Debian's %s is not installed", plugin)
			return
		}
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settings := filepath.Join(dir, "settings.xml")
	write("settings.xml", "<settings><localRepository>"+debianMaven+"</localRepository><offline>true</offline></settings>")
	write(".mvn/maven.config", "-s\n"+settings+"\n")
	write("pom.xml", pom)
	write("src/main/java/p/A.java", "package p;\n\npublic class A {\n    static int add(int a, int b) {\n        return a + c;\n    }\n}\n")
	write("src/test/java/p/ATest.java", mavenTest)
	cl := dial(t, Options{}, Caller{Dir: dir, Env: environ()})
	cl.initialize()
	res := result(t, cl.call("compile", map[string]any{}))
	if res.Status != "failed" || len(res.Errors) != 1 || res.Errors[0].File != "src/main/java/p/A.java" || res.Errors[0].Line != 5 ||
		res.Errors[0].Column != 20 || !strings.Contains(res.Errors[0].Message, "cannot find symbol") {
		t.Errorf("compile: %+v", res)
	}
	write("src/main/java/p/A.java", "package p;\n\npublic class A {\n    static int add(int a, int b) {\n        return a + b;\n    }\n}\n")
	res = result(t, cl.call("test", map[string]any{}))
	if res.Status != "failed" || res.Tests == nil || res.Tests.Passed != 1 || res.Tests.Failed != 1 || res.Tests.Skipped != 1 {
		t.Fatalf("test: %+v", res)
	}
	if f := res.Tests.Failures[0]; f.File != "src/test/java/p/ATest.java" || f.Line != 15 || !strings.Contains(f.Name, "fails") || !strings.Contains(f.Message, "one and two") {
		t.Errorf("test: %+v", f)
	}
	res = result(t, cl.call("test", map[string]any{"name": "ATest#adds"}))
	if res.Status != "ok" || res.Tests == nil || res.Tests.Passed != 1 || res.Tests.Failed != 0 {
		t.Errorf("one test: %+v", res)
	}
}
