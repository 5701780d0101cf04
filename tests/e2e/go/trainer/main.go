// The controller of TrainJobs, without the webhooks of its own program: those listen on every
// address of the machine, and only repeat what the definitions say of what trainc writes.
package main

import (
	"flag"
	"log"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/controller"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	"k8s.io/apimachinery/pkg/runtime"
	clientgo "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	settings "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	plugins "sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	flag.Parse() // --kubeconfig is a flag of controller-runtime
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgo.AddToScheme, trainer.AddToScheme, jobset.AddToScheme, plugins.AddToScheme} {
		must(add(scheme))
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Client:                 client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		Metrics:                metrics.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	must(err)
	ctx := ctrl.SetupSignalHandler()
	runtimes, err := core.New(ctx, manager.GetClient(), manager.GetFieldIndexer())
	must(err)
	failed, err := controller.SetupControllers(manager, runtimes, settings.Options{})
	if err != nil {
		log.Fatal(failed, ": ", err)
	}
	must(manager.Start(ctx))
}
